import type { CertificateView, InspectionStep } from '../../../../src/contract/panel/restaurants/integration.ts';
import { countOf, formatCount, plural } from '../../../../src/domain/counts.ts';
import type { EndpointKind } from '../../../../src/domain/webhooks/events.ts';
import type { Verdict } from '../../../../src/domain/webhooks/receiver-check.ts';

const heldWebhooks = (count: number): string => countOf(count, 'held webhook');

export const settingsTexts = {
  settings: 'Settings',
  sections: 'Settings sections',
  integration: 'Integration',
  restaurant: 'Restaurant',
  ownersOnly: 'Only an owner can change this',
  viewOnly: 'You can view these settings. Only an owner can change them.',
} as const;

export const integrationTexts = {
  title: 'Integration',
  description: 'How your system sends orders and receives updates about them.',
  offTitle: 'The integration is disabled',
  offText: 'Orders from your system are rejected with status 403. Webhooks are held until you enable it again.',
  switchTitle: 'Orders and webhooks',
  switchLabel: 'Integration enabled',
  switchHint: 'Accept orders from your system and send webhooks to it.',
  restaurantId: 'Restaurant ID',
  restaurantIdHint: 'Send it as restaurantId in every order.',
  rateLimit: 'Rate limit',
  rateUse: (used: number, limit: number) => `${formatCount(used)} of ${formatCount(limit)} requests`,
  rateHint: 'Used in the current minute. Requests over the limit get status 429.',
  disableTitle: 'Disable the integration?',
  disableText:
    'Orders from your system will be rejected with status 403. Webhooks for orders in progress are held and sent when you enable it again. No data is lost.',
  disable: 'Disable',
  enableTitle: 'Enable the integration?',
  enableText: (held: number) =>
    held === 0
      ? 'Waybill will accept orders again. There are no held webhooks.'
      : `Waybill will accept orders again, and ${plural(held, 'the held webhook is', `the ${heldWebhooks(held)} are`)} sent immediately, oldest first.`,
  enable: 'Enable',
  enableAndSend: (held: number) => `Enable and send ${heldWebhooks(held)}`,
  enabled: 'Integration enabled',
  disabled: 'Integration disabled',
  copyId: 'restaurant ID',
} as const;

/** Texts shared by API keys and Basic Auth. */
export const credentialTexts = {
  created: 'Created',
  lastUsed: 'Last used',
  never: 'Never',
  actions: 'Actions',
  revoke: 'Revoke',
  revokeThing: (name: string) => `Revoke ${name}`,
  revokedAlready: 'Already revoked',
  showInactive: (count: number) => `Show ${formatCount(count)} inactive`,
  hideInactive: 'Hide inactive',
} as const;

export const apiKeyTexts = {
  title: 'API Key',
  description: 'Sent in the X-API-Key header. Several keys can be active, so you can rotate them without downtime.',
  create: 'New key',
  createTitle: 'Create API key',
  createText: 'The key is active immediately. Existing keys keep working.',
  lifetime: 'Expires',
  lifetimeHint: (days: number) => `We recommend rotating keys every ${days} days.`,
  lifetimes: { 30: 'In 30 days', 90: 'In 90 days (recommended)', 180: 'In 180 days', 365: 'In 1 year', never: 'Never' },
  neverWarning: 'If a key that never expires leaks, it works until you revoke it. We recommend an expiration date.',
  createButton: 'Create key',
  shownTitle: 'Your new API key',
  key: 'API key',
  prefix: 'Key',
  environment: 'Environment',
  environments: { live: 'Live', test: 'Test' },
  expires: 'Expires',
  noExpiry: 'Never',
  states: { good: 'Active', 'expires-soon': 'Expires soon', expired: 'Expired', revoked: 'Revoked' },
  revokeTitle: (prefix: string) => `Revoke ${prefix}…?`,
  revokeText:
    "Within 5 seconds, requests with this key will be rejected with status 401. Any system that still uses it can't send orders until it has another key. You can't undo this.",
  revoked: 'API key revoked',
  empty: 'No API keys yet',
  emptyText: 'Create one to let your system place orders.',
} as const;

export const basicAuthTexts = {
  title: 'Basic Auth',
  description: "A username and password, for systems that can't send an API key.",
  create: 'New credentials',
  shownTitle: 'Your new Basic Auth credentials',
  username: 'Username',
  password: 'Password',
  revokeTitle: (username: string) => `Revoke ${username}?`,
  revokeText:
    "Within 5 seconds, requests with this username will be rejected with status 401. Any system that still uses it can't send orders until it has other credentials. You can't undo this.",
  revoked: 'Credentials revoked',
  empty: 'No credentials yet',
  emptyText: "Create credentials only if your system can't send an API key.",
  states: { good: 'Active', revoked: 'Revoked' },
  state: 'State',
} as const;

export const secretTexts = {
  title: 'Webhook Secret',
  description:
    'Signs every webhook, so your system can verify that it comes from us. X-Service-Signature is the HMAC-SHA256 of the body with this secret.',
  create: 'Create secret',
  createNext: 'Create next secret',
  createTitle: 'Create a webhook secret?',
  createFirstText: "Every webhook will be signed with it. Receivers that don't check the signature aren't affected.",
  createNextText:
    'The new secret starts as pending, and the active one keeps signing. Add the new secret to your system, then switch.',
  pendingExists: 'Switch to the pending secret or remove it first',
  shownTitle: 'Your new webhook secret',
  shownActive: 'It now signs every webhook.',
  shownPending: "It's pending. Add it to your system, then come back and switch.",
  secret: 'Webhook secret',
  none: "Webhooks aren't signed",
  noneText: 'Anyone who knows your URLs could send you forged webhooks. Create a secret before you go live.',
  active: 'Active',
  activeText: 'Signs every webhook.',
  pending: 'Pending',
  pendingText: 'Not used yet. Switch when your system has it.',
  since: 'Since',
  created: 'Created',
  test: 'Send test event',
  testHint: 'Signed with the pending secret and sent to the Status Update Webhook URL',
  noUrl: 'Register a Status Update Webhook URL first',
  switch: 'Switch',
  switchTitle: 'Switch to the pending secret?',
  switchText:
    'All webhooks, including retries, will be signed with the pending secret. The active secret is deleted, so make sure your system has the new one before you switch.',
  switched: 'Webhooks are now signed with the new secret',
  remove: 'Remove',
  removeThing: (state: string) => `Remove the ${state} secret`,
  removePendingTitle: 'Remove the pending secret?',
  removePendingText: "It hasn't been used. The active secret keeps signing.",
  removeActiveTitle: 'Remove the webhook secret?',
  removeActiveText:
    "Webhooks will be sent without the X-Service-Signature header. Receivers that require a signature will reject them, and we'll keep retrying.",
  removed: 'Secret removed',
} as const;

export const urlTexts = {
  title: 'Webhook URLs',
  description: 'Where we send order updates by POST. Use HTTPS, and respond with a 2xx status within 5 seconds.',
  names: { status: 'Status Update Webhook URL', cancel: 'Cancel Webhook URL' } satisfies Record<EndpointKind, string>,
  hints: {
    status: 'Receives every order status change.',
    cancel: 'Receives cancellations, in addition to the status webhook.',
  } satisfies Record<EndpointKind, string>,
  placeholder: 'https://',
  save: 'Check and save',
  check: 'Check now',
  unchanged: 'No changes to save',
  nothingToCheck: 'Enter a URL first',
  wrong: 'Fix the invalid URL first',
  held: (count: number) => `${heldWebhooks(count)}. Add a URL to send ${plural(count, 'it', 'them')}.`,
  heldOff: (count: number) => `${heldWebhooks(count)} while the integration is disabled`,
  failing: (error: string) => `Failing: ${error}`,
  dialogTitle: { save: 'Check and save', check: 'Check URLs' },
  checking: 'Resolving the host name, checking the certificate, sending a test event',
  allGood: 'Everything works',
  someBad: 'The check found a problem',
  saveAnywayText:
    'You can save anyway. We retry failed webhooks after 1 minute, 5 minutes, 15 minutes, 1 hour, 4 hours, then every 24 hours.',
  removing: (name: string) => `Removing the ${name}. Its webhooks are held until you add a URL again.`,
  releaseText: (count: number) => `Saving also sends ${heldWebhooks(count)}, oldest first.`,
  saveButton: 'Save',
  saveAnyway: 'Save anyway',
  saveAndSend: (count: number) => `Save and send ${heldWebhooks(count)}`,
  saveAnywayAndSend: (count: number) => `Save anyway and send ${heldWebhooks(count)}`,
  stillChecking: 'Wait for the check to finish',
  back: 'Back',
  saved: 'Webhook URLs saved',
  savedAndSent: (count: number) => `Saved. Sending ${heldWebhooks(count)}`,
} as const;

export const checkTexts = {
  steps: { name: 'Host name', address: 'Address', certificate: 'Certificate', test: 'Test event' },
  verdicts: { pass: 'Passed', warn: 'Warning', fail: 'Failed', skipped: 'Skipped' } satisfies Record<Verdict, string>,
  resolves: 'The host name resolves.',
  resolvesTo: (addresses: string) => `Resolves to ${addresses}`,
  took: (ms: number) => `${Math.round(ms)} ms`,
  reached: 'Public address, reachable',
  reachedPrivate: 'Private address (allowed on this installation), reachable',
  days: (count: number) => countOf(count, 'day left', 'days left'),
  daysShort: (count: number) => `The certificate expires in ${count} days. Renew it before webhooks fail.`,
  /** By the step that failed. */
  todo: {
    name: 'Check the spelling of the host name and its DNS records. New records can take a while to propagate.',
    address: 'Point the host name to an address that is reachable from the internet.',
    connection: "Check that your receiver is running and listening on the URL's port, and that no firewall blocks it.",
    certificate:
      "Install a certificate for this host name from a public certificate authority, including its chain. Self-signed certificates aren't accepted.",
  } satisfies Record<InspectionStep, string>,
  testGood: (status: number, ms: number) => `Status ${status} in ${ms} ms`,
  testBad: (text: string, ms: number) => `${text} (${ms} ms)`,
  testSkipped: 'Not sent, because an earlier check failed.',
  signed: { active: 'Signed with the active secret', pending: 'Signed with the pending secret', none: 'Not signed' },
  refusedHint:
    "The test event doesn't belong to a real order: its serviceOrderId is all zeros. Respond with 2xx to unknown orders. Otherwise we retry their webhooks.",
  signatureHint:
    'Your receiver rejected the signature. Check that it uses this secret and signs the exact bytes of the body.',
  noAnswerHint:
    "Store the event, respond immediately, and process it afterwards. Your receiver's log may show what took so long.",
  sentBody: 'Request body',
  sentHeaders: 'Request headers',
  answer: 'Response',
  emptyAnswer: '(empty)',
  details: 'Request and response',
} as const;

export const certificateTexts = {
  chain: 'Chain',
  issuedBy: (subject: string, issuer: string) => `${subject}, issued by ${issuer}`,
  valid: 'Valid from',
  until: 'to',
  names: (names: readonly string[], more: number) => {
    if (names.length === 0) return 'No host names';
    return `For ${names.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
  },
  faults: {
    issuer: 'Not issued by a trusted certificate authority',
    validity: 'Expired or not valid yet',
    names: 'Not for this host name',
  } satisfies Record<CertificateView['faults'][number], string>,
} as const;

export const metadataTexts = {
  title: 'Webhook metadata',
  label: 'Send extra headers',
  hint: "Adds the event ID, attempt number, sequence within the order and the Standard Webhooks headers. Bodies don't change.",
  on: 'Extra headers enabled',
  off: 'Extra headers disabled',
} as const;
