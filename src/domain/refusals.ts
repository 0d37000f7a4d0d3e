// Every error that Waybill returns. A refusal is a value; `http` maps each code to a status, and a test keeps
// docs/errors.md complete. A message in braces is filled with the refusal's facts. Messages name no page and no command:
// pages and the command line replace those to which they can add advice.

/** Codes that every surface shares, and that the integrators' contract lists. */
const SHARED = {
  AUTH_001: { error: 'Authentication failed', message: 'Invalid API key' },
  AUTH_002: { error: 'Authentication failed', message: 'Invalid Basic credentials' },
  AUTH_003: {
    error: 'Authentication failed',
    message: 'No credentials. Send X-API-Key or Authorization: Basic <BASE64_CREDENTIALS>',
  },
  AUTH_004: {
    error: 'Authentication failed',
    message: 'More than one credential header. Send either X-API-Key or Authorization, once',
  },
  AUTH_010: { error: 'Integration disabled', message: 'The integration is disabled for this restaurant' },
  AUTH_011: { error: 'API key expired', message: 'This API key has expired. Create a new one' },
  AUTH_012: {
    error: 'Restaurant not allowed',
    message: 'These credentials belong to a different restaurant than restaurantId',
  },
  AUTH_020: { error: 'Not signed in', message: 'Sign in and try again' },
  AUTH_021: { error: 'Sign-in failed', message: 'Wrong email or password' },
  AUTH_022: { error: 'Second factor needed', message: 'Enter a code from your authenticator app, or a backup code' },
  AUTH_023: { error: 'Not allowed', message: 'Your role does not allow this' },
  AUTH_024: { error: 'Cross-site request refused', message: "This request is only accepted from Waybill's own pages" },
  AUTH_025: { error: 'Link not valid', message: 'This link was already used or has expired. Request a new one' },
  RATE_001: { error: 'Rate limit exceeded', message: 'Too many requests. Retry after 1 minute' },
  RATE_002: { error: 'Too many requests at once', message: 'Wait for your other requests to finish, then retry' },
  REQ_001: { error: 'Malformed request', message: 'The body is not valid JSON' },
  REQ_002: { error: 'Unsupported media type', message: 'Send Content-Type: application/json, uncompressed' },
  REQ_003: { error: 'Request too large', message: 'The body must be at most 262144 bytes' },
  REQ_004: { error: 'Validation failed', message: 'Some fields are invalid; see details' },
  REQ_005: { error: 'Not found', message: 'This path does not exist, or does not support this method' },
  ORDER_001: {
    error: 'Order already exists',
    message: 'An order with this orderId already exists with different content; see details',
  },
  ORDER_002: { error: 'Order not found', message: 'No such order' },
  ORDER_003: { error: 'Transition not allowed', message: 'The state of the order does not allow this' },
  FEED_001: {
    error: 'Cursor no longer valid',
    message: 'The service was restored to an earlier point in time. Continue with the cursor in restartAfter',
  },
  PANEL_001: { error: 'Not found', message: 'Not found' },
  PANEL_002: { error: 'Not possible', message: 'This is not possible at the moment' },
  SRV_001: { error: 'Temporarily unavailable', message: 'Try again shortly. Retrying the request is safe' },
  SRV_002: { error: 'Internal error', message: 'Something went wrong on our side. Retrying the request is safe' },
} as const;

/** Refusals of changes that people make, on pages and on the command line. */
const OF_CHANGES = {
  COURIER_001: { error: 'No such courier', message: 'No such courier' },
  COURIER_002: { error: 'Courier of another restaurant', message: '{name} works for another restaurant' },
  COURIER_003: { error: 'Courier off duty', message: '{name} is off duty' },
  COURIER_004: { error: 'Shifts overlap', message: '{name} already has a shift at that time' },
  COURIER_005: { error: 'Shift ends too early', message: 'The shift must end after it starts' },
  COURIER_006: { error: 'Shift is over', message: 'The shift must end in the future' },
  COURIER_007: { error: 'Shift too long', message: 'The shift must be at most {hours} hours long' },
  COURIER_008: { error: 'Photo too large', message: 'The photo must be at most {bytes} bytes' },
  COURIER_009: { error: 'Not a photo', message: 'The photo must be a JPEG, PNG or WebP image' },
  COURIER_010: { error: 'Id already used', message: 'Another step was reported with this id' },
  COURIER_011: { error: 'Step too old', message: 'A later step was already reported' },
  RESTAURANT_001: {
    error: 'Restaurant already exists',
    message: 'A restaurant with the id {restaurantId} already exists',
  },
  WEBHOOK_001: {
    error: 'Secret already pending',
    message: 'A webhook secret is already pending. Switch to it or remove it first',
  },
  WEBHOOK_002: { error: 'No pending secret', message: 'There is no pending webhook secret. Create one first' },
  WEBHOOK_003: { error: 'Secret not pending', message: 'This secret is no longer pending' },
  WEBHOOK_004: {
    error: 'Newer secret pending',
    message: 'A newer webhook secret is pending. Switch to it or remove it first',
  },
  WEBHOOK_005: { error: 'No secret', message: 'The restaurant has no webhook secret' },
  WEBHOOK_006: { error: 'No URL', message: 'No URL is registered for this webhook' },
  WEBHOOK_007: { error: 'Checked a moment ago', message: 'A check was just started. Try again in {seconds} seconds' },
  WEBHOOK_008: {
    error: 'Webhook not waiting',
    message: 'The webhook was already delivered or discarded, or it is being sent right now',
  },
  WEBHOOK_009: { error: 'Held webhooks', message: 'This sends held webhooks ({held}). Confirm it first' },
  SUPPORT_001: { error: 'Case resolved', message: 'The support case is already resolved' },
  SUPPORT_002: { error: 'No URL', message: 'The restaurant removed this URL, so there is nothing to probe' },
  USER_001: { error: 'Address in use', message: '{email} already has an account' },
  USER_002: { error: 'Only owner', message: 'This is the only owner. Make another user an owner first' },
  USER_003: { error: 'Only operator', message: 'This is the only operator. Add another operator first' },
  USER_004: { error: 'Already joined', message: '{email} has already joined' },
  USER_005: { error: 'Account disabled', message: '{email} is disabled. Enable the account first' },
  USER_006: { error: 'No second factor', message: '{email} has no second factor' },
  USER_007: { error: 'Restaurant missing', message: 'Owners and staff must belong to a restaurant' },
  USER_008: { error: 'Role without restaurant', message: 'Only owners and staff can belong to a restaurant' },
  USER_009: { error: 'Role without courier', message: 'Only users with the role courier can be linked to a courier' },
  SETUP_001: { error: 'Already set up', message: 'An operator already exists. Sign in instead' },
  SETUP_002: { error: 'Wrong setup code', message: 'Wrong setup code. The service prints it when it starts' },
  UPKEEP_001: {
    error: 'Nothing to rotate',
    message: 'There is nothing to rotate. The service has never run on this database',
  },
  UPKEEP_002: { error: 'Wrong master key', message: 'This master key does not belong to this database' },
  UPKEEP_003: {
    error: 'Service running',
    message: 'The service is running on this database. Stop every node, wait 10 seconds and try again',
  },
} as const;

export const REFUSALS = { ...SHARED, ...OF_CHANGES };

export type RefusalCode = keyof typeof REFUSALS;

type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholders<Rest> : never;
/** What a code's message needs. */
export type FactsOf<Code extends RefusalCode> = Record<
  Placeholders<(typeof REFUSALS)[Code]['message']>,
  string | number
>;
type CodeWithFacts = { [Code in RefusalCode]: keyof FactsOf<Code> extends never ? never : Code }[RefusalCode];
type PlainCode = Exclude<RefusalCode, CodeWithFacts>;

export type SharedCode = keyof typeof SHARED;
export const SHARED_CODES = codesOf(SHARED);

/** Codes that only the pages receive, never integrators. */
export const PANEL_CODES: readonly RefusalCode[] = [
  'AUTH_020',
  'AUTH_021',
  'AUTH_022',
  'AUTH_023',
  'AUTH_024',
  'AUTH_025',
  'RATE_002',
  'PANEL_001',
  'PANEL_002',
  ...codesOf(OF_CHANGES),
];

export interface FieldProblem {
  field: string;
  message: string;
}

export interface Refusal {
  code: RefusalCode;
  /** Replaces the catalog's message with a more specific one. */
  message?: string;
  /** Fill the placeholders of the message. */
  facts?: Readonly<Record<string, string | number>>;
  details?: FieldProblem[];
  /** When the same request will be accepted, if known. */
  retryAfterSeconds?: number;
  /** With FEED_001: the cursor to send as `after` next. */
  restartAfter?: string;
}

export interface Refused {
  kind: 'refused';
  refusal: Refusal;
}

export function refused(refusal: Refusal): Refused {
  return { kind: 'refused', refusal };
}

export function refuse(code: PlainCode, message?: string, details?: FieldProblem[]): Refusal {
  return { code, ...(message !== undefined && { message }), ...(details !== undefined && { details }) };
}

export function refuseWith<Code extends CodeWithFacts>(code: Code, facts: FactsOf<Code>): Refusal {
  return { code, facts };
}

/** A value that is not accepted; the message says what to send instead. */
export function refuseValue(problem: FieldProblem): Refusal {
  return refuse('REQ_004', undefined, [problem]);
}

/** The sentence of a refusal, without a full stop. A surface may have its own sentences for some codes. */
export function describeRefusal(
  { code, message, facts = {} }: Refusal,
  own: Partial<Record<RefusalCode, string>> = {},
): string {
  const sentence = own[code] ?? message ?? REFUSALS[code].message;
  return sentence.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(facts[name]));
}

function codesOf<Catalog extends object>(catalog: Catalog): (keyof Catalog & string)[] {
  return Object.keys(catalog).filter((code): code is keyof Catalog & string => code in catalog);
}
