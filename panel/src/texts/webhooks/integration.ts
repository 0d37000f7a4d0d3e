import type { CertificateView, InspectionStep } from '../../../../src/contract/panel/restaurants/integration.ts';
import { countOf, formatCount, plural } from '../../../../src/domain/counts.ts';
import type { EndpointKind } from '../../../../src/domain/webhooks/events.ts';
import type { Verdict } from '../../../../src/domain/webhooks/receiver-check.ts';

const heldWebhooks = (count: number): string => countOf(count, 'held webhook');

export const settingsTexts = {
  settings: 'Settings',
  sections: 'Sections of the settings',
  integration: 'Integration',
  restaurant: 'Restaurant',
  ownersOnly: 'Only an owner can change this',
  lookOnly: 'You can look at these settings. Only an owner of the restaurant can change them.',
} as const;

export const integrationTexts = {
  title: 'Integration',
  description: 'How your own system sends orders here, and how it is told what happens to them.',
  offTitle: 'The integration is switched off',
  offText: 'Orders are refused with 403, and webhooks are held until it is switched on again.',
  switchTitle: 'Orders and webhooks',
  switchLabel: 'Integration enabled',
  switchHint: 'Takes orders from your system and sends webhooks to it.',
  restaurantId: 'Restaurant id',
  restaurantIdHint: 'Send it as restaurantId with every order.',
  rateLimit: 'Rate limit',
  rateUse: (used: number, limit: number) => `${formatCount(used)} of ${formatCount(limit)} requests`,
  rateHint: 'Used in the running minute. Beyond the limit, requests are answered 429; waiting a minute is enough.',
  disableTitle: 'Disable the integration?',
  disableText:
    'From now on every order from your system is refused with 403 Integration disabled. Webhooks of orders that are under way are held and can be sent when you enable it again. Nothing is lost.',
  disable: 'Disable',
  enableTitle: 'Enable the integration?',
  enableText: (held: number) =>
    held === 0
      ? 'Orders are taken again from now on. No webhook is held.'
      : `Orders are taken again from now on, and ${heldWebhooks(held)} go out at once, in their order.`,
  enable: 'Enable',
  enableAndSend: (held: number) => `Enable and send ${heldWebhooks(held)}`,
  enabled: 'The integration is enabled',
  disabled: 'The integration is disabled',
  copyId: 'restaurant id',
} as const;

/** Texts shared by API keys and Basic Auth. */
export const credentialTexts = {
  created: 'Created',
  lastUsed: 'Last used',
  never: 'Never',
  actions: 'Actions',
  revoke: 'Revoke',
  revokeThing: (name: string) => `Revoke ${name}`,
  revokedAlready: 'It is revoked already',
  showGone: (count: number) => `Show ${formatCount(count)} that ${plural(count, 'works', 'work')} no longer`,
  hideGone: 'Hide what works no longer',
} as const;

export const apiKeyTexts = {
  title: 'API Key',
  description: 'Sent as X-API-Key with every request. Several keys work at once, so that you can rotate without a gap.',
  create: 'New key',
  createTitle: 'New API key',
  createText: 'It works at once. Keys you have keep working.',
  lifetime: 'Expires',
  lifetimeHint: (days: number) => `${days} days is suggested: short enough to limit harm, long enough to plan for.`,
  lifetimes: { 30: 'In 30 days', 90: 'In 90 days (suggested)', 180: 'In 180 days', 365: 'In a year', never: 'Never' },
  neverWarning: 'A key that never expires stays dangerous for as long as somebody else has it. Prefer to rotate.',
  createButton: 'Create the key',
  shownTitle: 'Your new API key',
  key: 'API key',
  prefix: 'Key',
  environment: 'Environment',
  environments: { live: 'Live', test: 'Test' },
  expires: 'Expires',
  noExpiry: 'Never',
  states: { good: 'Good', 'expires-soon': 'Expires soon', expired: 'Expired', revoked: 'Revoked' },
  revokeTitle: (prefix: string) => `Revoke ${prefix}…?`,
  revokeText:
    'Within five seconds every request with this key is refused with 401. A system that still uses it can send no orders until it has another key. This cannot be undone.',
  revoked: 'The key is revoked',
  empty: 'No API key yet',
  emptyText: 'Create one and give it to your system: it cannot send orders without.',
} as const;

export const basicAuthTexts = {
  title: 'Basic Auth',
  description: 'A username and password, for systems that cannot send an API key.',
  create: 'New credentials',
  shownTitle: 'Your new Basic Auth credentials',
  username: 'Username',
  password: 'Password',
  revokeTitle: (username: string) => `Revoke ${username}?`,
  revokeText:
    'Within five seconds every request with this username is refused with 401. A system that still uses it can send no orders until it has other credentials. This cannot be undone.',
  revoked: 'The credentials are revoked',
  empty: 'Not in use',
  emptyText: 'An API key is the better choice where your system can send one.',
  states: { good: 'Good', revoked: 'Revoked' },
  state: 'State',
} as const;

export const secretTexts = {
  title: 'Webhook Secret',
  description:
    'Signs every webhook: X-Service-Signature is the HMAC-SHA256 of the body with this secret, so that your system can tell our webhooks from forged ones.',
  create: 'Create a secret',
  createNext: 'Create the next secret',
  createTitle: 'Create a webhook secret?',
  createFirstText:
    'From now on every webhook is signed with it. A receiver that does not look at the header notices nothing.',
  createNextText:
    'It is pending at first: the active secret goes on signing. Put the new one into your system, then switch.',
  pendingExists: 'A secret is pending already: switch to it, or remove it first',
  shownTitle: 'Your new webhook secret',
  shownActive: 'It signs every webhook from now on.',
  shownPending: 'It is pending: put it into your system, then come back and switch.',
  secret: 'Webhook secret',
  none: 'Webhooks are not signed',
  noneText: 'Anybody who knows your URLs could send you forged webhooks. Create a secret before you go live.',
  active: 'Active',
  activeText: 'Signs every webhook.',
  pending: 'Pending',
  pendingText: 'Signs nothing yet. Switch when your system knows it.',
  since: 'Since',
  created: 'Created',
  test: 'Send a test event',
  testHint: 'Signed with the pending secret, to the Status Update Webhook URL.',
  noUrl: 'Register a Status Update Webhook URL first',
  switch: 'Switch',
  switchTitle: 'Switch to the pending secret?',
  switchText:
    'Every webhook that is sent from now on, repeats included, is signed with the pending secret. The secret that signs now is forgotten: your system must know the new one before you switch.',
  switched: 'Webhooks are signed with the new secret',
  remove: 'Remove',
  removeThing: (state: string) => `Remove the ${state} secret`,
  removePendingTitle: 'Remove the pending secret?',
  removePendingText: 'It never signed anything. The active secret goes on signing.',
  removeActiveTitle: 'Remove the webhook secret?',
  removeActiveText:
    'Webhooks are sent unsigned from now on, without the X-Service-Signature header. A receiver that insists on a signature will refuse them, and they are repeated until it takes them.',
  removed: 'The secret is removed',
} as const;

export const urlTexts = {
  title: 'Webhook URLs',
  description: 'Where changes of orders are sent by POST. HTTPS only; your receiver answers 2xx within five seconds.',
  names: { status: 'Status Update Webhook URL', cancel: 'Cancel Webhook URL' } satisfies Record<EndpointKind, string>,
  hints: {
    status: 'Gets every change of state of an order.',
    cancel: 'Gets cancellations, besides the status webhook.',
  } satisfies Record<EndpointKind, string>,
  placeholder: 'https://',
  save: 'Check and save',
  check: 'Check now',
  unchanged: 'Nothing is changed',
  nothingToCheck: 'There is no URL to check',
  wrong: 'A URL is not valid: see below its field',
  held: (count: number) => `${heldWebhooks(count)}, until there is a URL`,
  heldOff: (count: number) => `${heldWebhooks(count)}, while the integration is off`,
  failing: (error: string) => `Failing: ${error}`,
  dialogTitle: { save: 'Check and save', check: 'Live check' },
  checking: 'Resolving the name, looking at the certificate, sending a test event',
  allGood: 'Everything works.',
  someBad: 'The check found a problem',
  saveAnywayText:
    'You can save anyway. Failed webhooks are kept and retried: after 1 minute, 5 minutes, 15 minutes, 1 hour, 4 hours, then every 24 hours.',
  removing: (name: string) => `${name} is removed. Its webhooks are held until there is a URL again.`,
  releaseText: (count: number) => `Saving sends ${heldWebhooks(count)} at once, in their order.`,
  saveButton: 'Save',
  saveAnyway: 'Save anyway',
  saveAndSend: (count: number) => `Save and send ${heldWebhooks(count)}`,
  saveAnywayAndSend: (count: number) => `Save anyway and send ${heldWebhooks(count)}`,
  stillChecking: 'Wait for the check',
  back: 'Back',
  saved: 'The webhook URLs are saved',
  savedAndSent: (count: number) => `Saved. Sending ${heldWebhooks(count)}`,
} as const;

export const checkTexts = {
  steps: { name: 'Name', address: 'Address', certificate: 'Certificate', test: 'Test event' },
  verdicts: { pass: 'Passed', warn: 'Look at it', fail: 'Failed', skipped: 'Not reached' } satisfies Record<
    Verdict,
    string
  >,
  resolves: 'The host name has an address.',
  resolvesTo: (addresses: string) => `Resolves to ${addresses}`,
  took: (ms: number) => `${Math.round(ms)} ms`,
  reached: 'A public address, and something answers there',
  reachedPrivate: 'A private address that this installation allows, and something answers there',
  days: (count: number) => countOf(count, 'day left', 'days left'),
  daysShort: (count: number) => `The certificate ends in ${count} days. Renew it before webhooks fail.`,
  /** By the step that failed. */
  todo: {
    name: 'Check the spelling of the host name, and its DNS records. A new record may take a while to be seen everywhere.',
    address: 'Point the name at a public address: one that anybody on the internet can reach.',
    connection: 'Check that your receiver runs and listens on the port of the URL, and that no firewall is in the way.',
    certificate:
      'Install a certificate of a public authority for this host name, together with its chain. Self-signed ones are not accepted.',
  } satisfies Record<InspectionStep, string>,
  testGood: (status: number, ms: number) => `Answered ${status} in ${ms} ms`,
  testBad: (text: string, ms: number) => `${text} (${ms} ms)`,
  testSkipped: 'Not sent: it would not arrive.',
  signed: { active: 'Signed with the active secret', pending: 'Signed with the pending secret', none: 'Not signed' },
  refusedHint:
    'The test event is about no order: its serviceOrderId is all noughts. Answer 2xx to orders you do not know, or webhooks are repeated.',
  signatureHint: 'Your receiver refuses the signature. Does it know this secret, and sign the exact bytes of the body?',
  noAnswerHint:
    'Store the event, answer at once, and do the work afterwards; look at your receiver’s own log for this time.',
  sentBody: 'Body sent',
  sentHeaders: 'Headers sent',
  answer: 'Answer',
  emptyAnswer: '(empty)',
  details: 'What was sent and answered',
} as const;

export const certificateTexts = {
  chain: 'Chain',
  issuedBy: (subject: string, issuer: string) => `${subject}, issued by ${issuer}`,
  valid: 'Valid from',
  until: 'to',
  names: (names: readonly string[], more: number) => {
    if (names.length === 0) return 'For no host name';
    return `For ${names.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
  },
  faults: {
    issuer: 'Nobody who is trusted vouches for it',
    validity: 'Not valid now',
    names: 'Not for this host name',
  } satisfies Record<CertificateView['faults'][number], string>,
} as const;

export const metadataTexts = {
  title: 'Delivery metadata',
  label: 'Send extra headers',
  hint: 'Adds the event id, attempt number, sequence within the order and the Standard Webhooks headers. Bodies stay as they are.',
  on: 'Extra headers are sent from the next webhook on',
  off: 'Extra headers are not sent any more',
} as const;
