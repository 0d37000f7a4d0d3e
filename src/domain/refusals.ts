// Every error that Waybill returns. A refusal is a value; `http` maps each code to a status, and a test keeps
// docs/errors.md complete.

export const REFUSALS = {
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

export type RefusalCode = keyof typeof REFUSALS;

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
];

export interface FieldProblem {
  field: string;
  message: string;
}

export interface Refusal {
  code: RefusalCode;
  /** Replaces the catalog's message with a more specific one. */
  message?: string;
  details?: FieldProblem[];
  /** When the same request will be accepted, if known. */
  retryAfterSeconds?: number;
  /** With FEED_001: the cursor to send as \`after\` next. */
  restartAfter?: string;
}

export function refuse(code: RefusalCode, message?: string, details?: FieldProblem[]): Refusal {
  return { code, ...(message !== undefined && { message }), ...(details !== undefined && { details }) };
}
