import type { LogOutcome } from '../../../../src/contract/panel/webhooks/webhooks.ts';
import { countOf, formatCount } from '../../../../src/domain/counts.ts';
import type { EndpointKind } from '../../../../src/domain/webhooks/events.ts';
import type { CheckCase, Finding, Verdict } from '../../../../src/domain/webhooks/receiver-check.ts';
import type { SignatureCause } from '../../../../src/domain/webhooks/signature-diagnosis.ts';

export const webhookTexts = {
  title: 'Webhooks',
  description: 'Webhooks sent to your system, its responses, and tools to fix problems.',
  tabs: { log: 'Log', figures: 'Charts', signature: 'Signature debugger', receiver: 'Receiver check' },
  endpoints: { status: 'Status Update', cancel: 'Cancel' } satisfies Record<EndpointKind, string>,
  ownersOnly: 'Only an owner can do this',
} as const;

export const webhookLogTexts = {
  caption: 'Webhook attempts, newest first',
  endpoint: 'Endpoint',
  anyEndpoint: 'Both endpoints',
  outcome: 'Outcome',
  anyOutcome: 'All attempts',
  outcomes: {
    delivered: 'Delivered',
    failed: 'Failed',
    discarded: 'Discarded',
    waiting: 'Waiting for a retry',
    held: 'Held',
  } satisfies Record<LogOutcome, string>,
  order: 'Order',
  searchOrder: 'Order ID or number',
  from: 'From',
  until: 'Until',
  clear: 'Clear filters',
  time: 'Time',
  webhook: 'Webhook',
  answer: 'Response',
  attempt: 'Attempt',
  attemptTook: (number: number, took: string) => `Attempt ${number}, ${took}`,
  took: 'Duration',
  next: 'Next attempt',
  open: 'Details',
  openOf: (what: string) => `Details of ${what}`,
  noOrder: 'Order deleted',
  none: '–',
  older: 'Show older',
  searchOlder: 'Search older',
  searchedBackTo: 'Searched back to',
  searchedFor: 'No more attempts found in this period.',
  end: 'End of log.',
  empty: 'No webhooks yet',
  emptyHint: 'Webhooks appear here when an order changes state.',
  nothing: 'No matching attempts',
  resendFailed: 'Resend failed',
} as const;

export const webhookDetailTexts = {
  title: (endpoint: string) => `${endpoint} webhook`,
  order: 'Order',
  state: 'State',
  states: {
    delivered: 'Delivered',
    waiting: 'Waiting for its next attempt',
    sending: 'Sending',
    held: 'Held until a URL is registered and the integration is enabled',
    discarded: 'Discarded',
  },
  next: 'Next attempt',
  url: 'Current URL',
  attempts: (count: number) => countOf(count, 'attempt'),
  noAttempts: 'No attempts yet.',
  discard: 'Discard',
  discardTitle: 'Discard this webhook?',
  discardText:
    "We'll stop sending it, and your system won't receive this change by webhook. The event stays in the events feed, and you can still resend it from here.",
  discarded: 'Webhook discarded',
  notWaiting: 'Already delivered or discarded',
  sendingNow: "It's being sent now",
  fallbackError: { meaning: 'The attempt failed.', todo: 'Check the response and the timings below.' },
  /** By error class: the meaning and the fix. */
  errors: {
    refused_address: {
      meaning: "The host name doesn't resolve to a public address.",
      todo: 'Point the host name to a public address, or register another URL.',
    },
    dns: {
      meaning: "We couldn't resolve the host name.",
      todo: 'Check the host name in the URL, its DNS records, and that its name servers respond quickly.',
    },
    connect: {
      meaning: "We couldn't connect to your receiver.",
      todo: "Check that it is running and listening on the URL's port, and that no firewall blocks it.",
    },
    tls: {
      meaning: 'The TLS connection failed.',
      todo: 'Renew or complete the certificate. It must be valid for the host name and include its chain.',
    },
    timeout: {
      meaning: "Your receiver didn't respond within 5 seconds.",
      todo: 'Store the event, respond immediately, and process it afterwards.',
    },
    http_status: {
      meaning: 'Your receiver responded with a status other than 2xx.',
      todo: "Check the response below and your receiver's log. Redirects count as failures: register the final URL instead.",
    },
    protocol: {
      meaning: 'Your receiver sent an invalid HTTP/1.1 response.',
      todo: 'Check the proxy or server in front of your application.',
    },
    closed: {
      meaning: 'The connection was closed before your receiver responded.',
      todo: 'Check your receiver for crashes and restarts, and the limits of its proxy.',
    },
    invalid_url: {
      meaning: 'The URL is invalid.',
      todo: 'Register another one in Settings → Integration → Webhook URLs.',
    },
    secret: {
      meaning: "We couldn't read your webhook secret, so the webhook wasn't sent.",
      todo: 'Create a new secret in Settings → Integration and switch to it.',
    },
    withdrawn: {
      meaning: 'The attempt was canceled before it was sent.',
      todo: "You don't need to do anything. We'll retry it.",
    },
  } as Readonly<Record<string, { meaning: string; todo: string }>>,
} as const;

export const resendFailedTexts = {
  title: 'Resend failed webhooks',
  text: 'Immediately resends all webhooks that failed since this time, oldest first.',
  since: 'Since',
  count: (count: number) => countOf(count, 'failed webhook', 'failed webhooks'),
  counting: 'Counting…',
  none: 'No failed webhooks since then',
  confirm: (count: number) => `Resend ${countOf(count, 'webhook')}`,
  confirmNone: 'Resend',
  done: (count: number) => countOf(count, 'webhook is being resent', 'webhooks are being resent'),
} as const;

export const failingTexts = {
  title: (endpoints: readonly string[]) =>
    endpoints.length === 1 ? `${endpoints[0]} webhooks are failing` : 'Webhooks are failing',
  details: 'Details',
  endpoint: (endpoint: string) => `${endpoint} Webhook URL`,
  since: 'Failing since',
  duration: (duration: string) => `for ${duration}`,
  next: (when: string) => `Next attempt ${when}`,
  soon: 'Next attempt now',
  waiting: (count: number, most: number) =>
    count >= most ? `At least ${formatCount(most)} pending` : `${formatCount(count)} pending`,
  view: 'View webhooks',
} as const;

export const figureTexts = {
  range: 'Time range',
  ranges: { '24h': 'Last 24 hours', '7d': 'Last 7 days' },
  success: 'Success rate',
  successHint: 'Share of attempts that got a 2xx response within 5 seconds.',
  latency: 'Response time',
  latencyHint: '50% of attempts are faster than the median, 95% are faster than p95.',
  rate: 'Success rate',
  p50: 'Median',
  p95: 'p95',
  span: 'From',
  delivered: 'Delivered',
  failed: 'Failed',
  percent: (share: number) => `${Number((share * 100).toFixed(1))}%`,
  none: '–',
  empty: 'No attempts in this period',
  asTable: 'Show as table',
  tableCaption: 'Attempts by time',
  sampled: (count: number) =>
    `Busy periods are sampled: only the newest ${formatCount(count)} attempts of each period are counted.`,
  chartOf: (name: string) => `Chart: ${name}. The table below shows the same data.`,
} as const;

export const signatureTexts = {
  title: 'Signature debugger',
  description:
    'Paste the body exactly as your receiver read it, and the X-Service-Signature it received or computed. We compare them using your webhook secret, which is never shown.',
  body: 'Request body',
  bodyHint: 'The raw bytes, before parsing. Whitespace matters.',
  header: 'X-Service-Signature',
  headerHint: 'The header of the request, or the value your code computed.',
  which: 'Compare with',
  own: 'Active secret of this restaurant',
  typed: 'Another secret',
  secret: 'Secret',
  secretHint: 'Used for this comparison only. Not stored or logged.',
  check: 'Compare',
  match: 'Signature matches',
  matchText: 'The signature is valid for this body.',
  mismatch: "Signature doesn't match",
  expected: 'Expected',
  received: 'Received',
  nothing: '(empty)',
  differs: (place: number) => `They differ starting at character ${place}.`,
  causes: 'Likely causes',
  curl: 'Copy as signed cURL',
  noSecret: "Webhooks aren't signed because there is no active secret",
  causeTexts: {
    reserialised:
      'The body was parsed and serialized again before the check. Use the raw bytes of the request, before any JSON parsing.',
    indented: 'The signature was computed over indented JSON. Use the raw bytes; the payload is compact.',
    spaced:
      "The signature was computed over JSON with spaces after commas and colons, Python's default. Use the raw bytes.",
    'sorted-keys': 'The keys were sorted before the signature was computed. Use the raw bytes.',
    'escaped-letters': 'Non-ASCII letters were written as \\u escapes. Use the raw bytes; the payload is UTF-8.',
    'newline-added': 'A line break was added at the end of the body before the signature was computed.',
    'newline-removed':
      "The body you pasted ends with a line break that wasn't signed. Copying or an editor may have added it.",
    'carriage-returns': 'Line endings were converted. Treat the body as bytes, not as text.',
    'byte-order-mark': 'The body starts with a byte order mark. Use the bytes without it.',
    'empty-body':
      'The signature was computed over an empty body. Your code probably reads the body after it was already consumed.',
    'pending-secret':
      "Your receiver already uses the pending secret. Accept both until you've switched in Settings → Integration.",
    'secret-without-prefix': 'The secret was used without its whsec_ prefix. The prefix is part of the key.',
    'secret-decoded': 'The secret was base64-decoded. Use it as plain text, exactly as shown.',
    'secret-with-newline': 'The secret ends with a line break, probably from a file. Trim it.',
    'header-upper-case': 'The value is correct but in uppercase. Use lowercase hexadecimal.',
    'header-prefixed': 'The value has a prefix such as sha256=. Remove it.',
    'header-base64': 'The value is correct but base64-encoded. Use lowercase hexadecimal.',
    'header-spaces': 'The value has spaces or line breaks around it. Trim it.',
    'header-missing':
      'The header is empty. Check whether a proxy removes it, or whether no secret was active when the webhook was sent.',
    'header-malformed': "This isn't a signature. A signature has 64 hexadecimal characters.",
    unknown:
      "No common mistake explains it. The secret may be an old one or belong to another restaurant or environment, or the body isn't the one that was signed.",
  } satisfies Record<SignatureCause, string>,
} as const;

export const receiverTexts = {
  title: 'Receiver check',
  description:
    "Sends a few test webhooks to your registered URL and checks the responses. Their order IDs start with waybill-test-receiver-check-, and they don't appear in the log.",
  endpoint: 'URL to check',
  noUrl: 'No URL is registered for this webhook',
  start: 'Run check',
  again: 'Run again',
  outlook: 'Test cases',
  running: 'Running the check',
  interrupted: 'The connection was lost before the check finished. Run it again.',
  url: 'URL',
  summary: (passed: number, all: number) => `${passed} of ${all} passed`,
  verdicts: { pass: 'Passed', warn: 'Warning', fail: 'Failed', skipped: 'Skipped' } satisfies Record<Verdict, string>,
  waiting: 'Waiting',
  trying: 'Running',
  cases: {
    valid: { name: 'Valid webhook', expects: 'Expected: 2xx' },
    duplicate: { name: 'Duplicate webhook', expects: 'Expected: 2xx, and the event ignored' },
    older: { name: 'Older timestamp', expects: 'Expected: 2xx, and the event ignored' },
    'wrong-signature': { name: 'Wrong signature', expects: 'Expected: 401' },
    'unknown-field': { name: 'Unknown field', expects: 'Expected: 2xx' },
    acknowledgement: { name: 'Concurrent webhooks', expects: 'Expected: 2xx well within 5 seconds' },
  } satisfies Record<CheckCase, { name: string; expects: string }>,
  findings: {
    handled: 'Handled correctly.',
    'not-reached': "Your receiver didn't respond in time. Check that it is running and responds within 5 seconds.",
    'not-tried': 'Skipped, because the first request got no response.',
    'good-signature-refused':
      'Your receiver rejected a valid signature with 401. It uses another secret or signs other bytes. Use the signature debugger to find out.',
    refused:
      'Your receiver rejected it. Any status other than 2xx is retried, so respond with 200 to duplicates, late events, unknown fields and unknown orders.',
    'forgery-accepted':
      "Your receiver accepted a forged webhook. Compute the signature over the raw bytes, compare it in constant time, and respond with 401 if it doesn't match.",
    'other-status': "Your receiver rejected it, but not with 401. Respond with 401 if a signature doesn't match.",
    'no-secret': 'You have no webhook secret, so anyone can send to your URL. Create one in Settings → Integration.',
    slow: 'It took more than 2 seconds. Store the event, respond immediately, and process it afterwards.',
  } satisfies Record<Finding, string>,
  dedupeNote: 'Check in your system that it was ignored: look for this order ID there.',
  request: 'Request and response',
  headers: 'Request headers',
  body: 'Request body',
  answer: 'Response',
  took: (ms: number) => `${Math.round(ms)} ms`,
  status: (status: number) => `Status ${status}`,
  copyCurl: 'Copy as cURL',
} as const;
