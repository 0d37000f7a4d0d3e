import type { LogOutcome } from '../../../../src/contract/panel/webhooks/webhooks.ts';
import { countOf, formatCount } from '../../../../src/domain/counts.ts';
import type { EndpointKind } from '../../../../src/domain/webhooks/events.ts';
import type { CheckCase, Finding, Verdict } from '../../../../src/domain/webhooks/receiver-check.ts';
import type { SignatureCause } from '../../../../src/domain/webhooks/signature-diagnosis.ts';

export const webhookTexts = {
  title: 'Webhooks',
  description: 'Everything that was sent to your system, how it was answered, and tools to put things right.',
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
  searchOrder: 'Order id or number',
  from: 'From',
  until: 'Until',
  clear: 'Clear filters',
  time: 'Time',
  webhook: 'Webhook',
  answer: 'Answer',
  attempt: 'Attempt',
  attemptTook: (number: number, took: string) => `Attempt ${number}, ${took}`,
  took: 'Took',
  next: 'Next attempt',
  open: 'Details',
  openOf: (what: string) => `Details of ${what}`,
  noOrder: 'Order no longer kept',
  none: '–',
  older: 'Show older',
  searchOlder: 'Search older',
  searchedBackTo: 'Searched back to',
  searchedFor: 'Nothing more was found that far.',
  end: 'That is everything.',
  empty: 'No webhook has been sent yet',
  emptyHint: 'The first order that changes its state appears here.',
  nothing: 'Nothing matches these filters',
  resendFailed: 'Resend failed',
} as const;

export const webhookDetailTexts = {
  title: (endpoint: string) => `${endpoint} webhook`,
  order: 'Order',
  state: 'State',
  states: {
    delivered: 'Delivered',
    waiting: 'Waiting for its next attempt',
    sending: 'Being sent now',
    held: 'Held until there is a URL and the integration is on',
    discarded: 'Discarded',
  },
  next: 'Next attempt',
  url: 'URL registered now',
  attempts: (count: number) => countOf(count, 'attempt'),
  noAttempts: 'It has not been tried yet.',
  discard: 'Discard',
  discardTitle: 'Discard this webhook?',
  discardText:
    'It is not sent any more, and your system never hears of this change by webhook. The event stays in the events feed, and you can still resend it from here.',
  discarded: 'The webhook is discarded',
  notWaiting: 'It is delivered or discarded already',
  sendingNow: 'It is being sent at this moment',
  fallbackError: { meaning: 'The attempt failed.', todo: 'See the answer and the timings below.' },
  /** By error class: the meaning and the fix. */
  errors: {
    refused_address: {
      meaning: 'The host name does not lead to a public address.',
      todo: 'Point the name at a public address, or register another URL.',
    },
    dns: {
      meaning: 'The host name could not be resolved.',
      todo: 'Check the name in the URL and its DNS records; a name server that is slow counts as none.',
    },
    connect: {
      meaning: 'No connection could be made to the receiver.',
      todo: 'Check that it runs, listens on the port of the URL, and that no firewall is in the way.',
    },
    tls: {
      meaning: 'The TLS connection failed.',
      todo: 'Renew or complete the certificate: it must be valid for the host name and come with its chain.',
    },
    timeout: {
      meaning: 'There was no answer within 5 seconds.',
      todo: 'Store the event, answer at once, and do the work afterwards.',
    },
    http_status: {
      meaning: 'The receiver answered, but not with a status from 200 to 299.',
      todo: 'Look at its answer below and at its own log for this time. A redirect counts as a failure too: register the URL it leads to.',
    },
    protocol: {
      meaning: 'What the receiver sent is not a valid HTTP/1.1 answer.',
      todo: 'Look at the proxy or server in front of your application.',
    },
    closed: {
      meaning: 'The connection was closed before there was an answer.',
      todo: 'Look for crashes and restarts of the receiver at this time, and at the limits of its proxy.',
    },
    invalid_url: {
      meaning: 'The URL cannot be used.',
      todo: 'Register another one under Settings, Integration, Webhook URLs.',
    },
    secret: {
      meaning: 'The webhook secret that Waybill keeps for you cannot be read, so nothing was sent.',
      todo: 'Create a new secret under Settings, Integration, and switch to it.',
    },
    withdrawn: { meaning: 'The attempt was called off before anything was sent.', todo: 'Nothing: it is tried again.' },
  } as Readonly<Record<string, { meaning: string; todo: string }>>,
} as const;

export const resendFailedTexts = {
  title: 'Resend what failed',
  text: 'Everything that waits for a retry and happened since then is sent at once, in the order of events.',
  since: 'Since',
  count: (count: number) => countOf(count, 'webhook waits for a retry', 'webhooks wait for a retry'),
  counting: 'Counting',
  none: 'Nothing that failed since then waits for a retry',
  confirm: (count: number) => `Resend ${countOf(count, 'webhook')}`,
  confirmNone: 'Resend',
  done: (count: number) => countOf(count, 'webhook is being sent', 'webhooks are being sent'),
} as const;

export const failingTexts = {
  title: (endpoints: readonly string[]) =>
    endpoints.length === 1 ? `${endpoints[0]} webhooks are failing` : 'Webhooks are failing',
  details: 'Details',
  endpoint: (endpoint: string) => `${endpoint} Webhook URL`,
  since: 'Failing since',
  duration: (duration: string) => `for ${duration}`,
  next: (when: string) => `Next attempt ${when}`,
  soon: 'Next attempt at once',
  waiting: (count: number, most: number) =>
    count >= most ? `At least ${formatCount(most)} wait` : countOf(count, 'waits', 'wait'),
  look: 'Look at them',
} as const;

export const figureTexts = {
  range: 'Range',
  ranges: { '24h': 'Last 24 hours', '7d': 'Last 7 days' },
  success: 'Success rate',
  successHint: 'Attempts that were answered with 200 to 299 in time, of all attempts.',
  latency: 'Time to answer',
  latencyHint: 'Half of the attempts stay below the median, 95 of 100 below p95.',
  rate: 'Success rate',
  p50: 'Median',
  p95: 'p95',
  span: 'From',
  delivered: 'Delivered',
  failed: 'Failed',
  percent: (share: number) => `${Number((share * 100).toFixed(1))} %`,
  none: '–',
  empty: 'No attempt in this time',
  asTable: 'The same as a table',
  tableCaption: 'Attempts by time',
  sampled: (count: number) =>
    `Busy spans are sampled: rates and times come from the newest ${formatCount(count)} attempts of each span, and counts stop there.`,
  chartOf: (name: string) => `Chart: ${name}. The table below holds the same figures.`,
} as const;

export const signatureTexts = {
  title: 'Signature debugger',
  description:
    'Paste the body exactly as your receiver read it, and the X-Service-Signature it was given or computed. The comparison is made with your webhook secret, which is never shown.',
  body: 'Body as received',
  bodyHint: 'The bytes before anything parsed them. Nothing is trimmed.',
  header: 'X-Service-Signature',
  headerHint: 'What the request carried, or what your code computed.',
  which: 'Compare with',
  own: 'The active secret of this restaurant',
  typed: 'A secret that I type in',
  secret: 'Secret',
  secretHint: 'Used for this one comparison, and neither kept nor logged.',
  check: 'Compare',
  match: 'They match',
  matchText: 'The body and the signature belong together.',
  mismatch: 'They do not match',
  expected: 'Expected',
  received: 'Received',
  nothing: '(nothing)',
  differs: (place: number) => `They differ from character ${place} on.`,
  causes: 'Most likely',
  curl: 'Copy as curl, rightly signed',
  noSecret: 'There is no active webhook secret, so webhooks are not signed',
  causeTexts: {
    reserialised:
      'The body was parsed and written again before it was checked. Check the raw bytes of the request, before a JSON parser sees them.',
    indented: 'The signature was computed over indented JSON. Use the raw bytes; the payload is compact.',
    spaced:
      'The signature was computed over JSON with spaces after commas and colons, as Python writes it by default. Use the raw bytes.',
    'sorted-keys': 'The keys were sorted before the signature was computed. Use the raw bytes in the order they came.',
    'escaped-letters':
      'Letters beyond ASCII were written as \\u escapes. Use the raw bytes; the payload is UTF-8 as it is.',
    'newline-added': 'A line break was added at the end of the body before the signature was computed.',
    'newline-removed': 'The body here ends with a line break that was not signed. Copying or an editor adds it.',
    'carriage-returns': 'Line endings were converted. Treat the body as bytes, not as text.',
    'byte-order-mark': 'A byte order mark stands before the body. Read and compare bytes without it.',
    'empty-body': 'The signature is that of an empty body: your code reads the body after something has consumed it.',
    'pending-secret':
      'Your receiver uses the pending secret already. Let it accept both until you have switched under Settings, Integration.',
    'secret-without-prefix': 'The secret was used without its whsec_ prefix. The whole text is the key.',
    'secret-decoded': 'The secret was base64-decoded. The key is the text itself, as it was shown.',
    'secret-with-newline': 'The secret ends with a line break, as read from a file. Trim it.',
    'header-upper-case': 'The value is right, but in upper-case letters. Compare lower-case hexadecimal.',
    'header-prefixed': 'The header has a prefix such as sha256=. The value stands there alone.',
    'header-base64': 'The value is right, but encoded as base64. It is lower-case hexadecimal.',
    'header-spaces': 'There are spaces or line breaks around the value. Trim the header.',
    'header-missing':
      'There is no value. Look whether a proxy drops the header, or whether no secret was active when it was sent.',
    'header-malformed': 'This is not a signature: 64 hexadecimal characters are expected.',
    unknown:
      'Nothing usual explains it: the secret is another one (an old one, or of another restaurant or environment), or the body is not the one that was signed.',
  } satisfies Record<SignatureCause, string>,
} as const;

export const receiverTexts = {
  title: 'Receiver check',
  description:
    'Sends a few marked test orders to your registered URL and looks at the answers. Their order ids begin with waybill-test-receiver-check-, and nothing of it counts as a delivery.',
  endpoint: 'URL to check',
  noUrl: 'No URL is registered for this webhook',
  start: 'Run the check',
  again: 'Run it again',
  outlook: 'What is tried',
  running: 'The check is running',
  interrupted: 'The connection was lost before the check was done. Run it again.',
  url: 'Checked',
  summary: (passed: number, all: number) => `${passed} of ${all} passed`,
  verdicts: { pass: 'Passed', warn: 'Look at it', fail: 'Failed', skipped: 'Not tried' } satisfies Record<
    Verdict,
    string
  >,
  waiting: 'Waiting',
  trying: 'Trying',
  cases: {
    valid: { name: 'A valid webhook', expects: 'Must be answered with 200 to 299' },
    duplicate: { name: 'The same webhook again', expects: 'Must be answered with 200 to 299, and ignored' },
    older: { name: 'An older timestamp', expects: 'Must be answered with 200 to 299, and ignored' },
    'wrong-signature': { name: 'A wrong signature', expects: 'Must be answered with 401' },
    'unknown-field': { name: 'A field you do not know', expects: 'Must be answered with 200 to 299' },
    acknowledgement: { name: 'Several at once', expects: 'Each must be acknowledged well within 5 seconds' },
  } satisfies Record<CheckCase, { name: string; expects: string }>,
  findings: {
    handled: 'As it should be.',
    'not-reached': 'There was no answer in time. Check that the receiver runs and answers within 5 seconds.',
    'not-tried': 'Not tried, because the first request was not answered.',
    'good-signature-refused':
      'A good signature was answered with 401. Your receiver has another secret or signs other bytes: use the signature debugger.',
    refused:
      'Your receiver refused it. Whatever is not 200 to 299 is sent again and again; answer 200 to what you know already, to what is late, and to fields and orders you do not know.',
    'forgery-accepted':
      'A forged webhook was accepted. Compare the signature over the raw bytes in constant time, and answer 401 when it does not match.',
    'other-status': 'It was refused, but not with 401. Answer 401 when a signature does not match.',
    'no-secret':
      'There is no webhook secret, so nothing is signed and anybody can send to your URL. Create one under Settings, Integration.',
    slow: 'It took more than 2 seconds. Store the event, answer at once, and do the work afterwards.',
  } satisfies Record<Finding, string>,
  dedupeNote: 'Whether it was ignored can only be seen in your system: look for this order id there.',
  request: 'Request and answer',
  headers: 'Request headers',
  body: 'Request body',
  answer: 'Answer',
  took: (ms: number) => `${Math.round(ms)} ms`,
  status: (status: number) => `Status ${status}`,
  copyCurl: 'Copy as curl',
} as const;
