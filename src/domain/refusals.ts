// Every way in which Waybill says no. A refusal is a value; `http` gives each code its status and a test keeps
// docs/errors.md complete.

export const REFUSALS = {
  AUTH_001: { error: 'Authentication failed', message: 'Invalid API key' },
  AUTH_002: { error: 'Authentication failed', message: 'Invalid Basic credentials' },
  AUTH_003: {
    error: 'Authentication failed',
    message: 'No credentials. Send X-API-Key, or Authorization: Basic <BASE64_CREDENTIALS>',
  },
  AUTH_004: {
    error: 'Authentication failed',
    message: 'Send exactly one credential header, once: X-API-Key or Authorization',
  },
  AUTH_010: { error: 'Integration disabled', message: 'The integration is switched off for this restaurant' },
  AUTH_011: { error: 'API key expired', message: 'This API key has expired. Create a new key' },
  AUTH_012: { error: 'Restaurant not allowed', message: 'restaurantId does not belong to these credentials' },
  AUTH_020: { error: 'Not signed in', message: 'Sign in first' },
  AUTH_021: { error: 'Sign-in failed', message: 'Wrong e-mail or password' },
  AUTH_022: { error: 'Second factor needed', message: 'Enter the code of your authenticator app, or a backup code' },
  AUTH_023: { error: 'Not allowed', message: 'Your role does not allow this' },
  AUTH_024: { error: 'Cross-site request refused', message: 'This can only be asked for by a page of Waybill itself' },
  AUTH_025: { error: 'Link not valid', message: 'This link was used or has expired. Ask for a new one' },
  RATE_001: { error: 'Rate limit exceeded', message: 'Too many requests. Retry after 1 minute' },
  RATE_002: { error: 'Too many requests at once', message: 'Wait until your other requests are answered, then retry' },
  REQ_001: { error: 'Malformed request', message: 'The body is not valid JSON' },
  REQ_002: { error: 'Unsupported media type', message: 'Send Content-Type: application/json, uncompressed' },
  REQ_003: { error: 'Request too large', message: 'The body may have at most 262144 bytes' },
  REQ_004: { error: 'Validation failed', message: 'Some fields are not valid; see details' },
  REQ_005: { error: 'Not found', message: 'There is nothing at this address' },
  ORDER_001: {
    error: 'Order already exists',
    message: 'An order with this orderId exists with other content; see details',
  },
  ORDER_002: { error: 'Order not found', message: 'There is no such order' },
  ORDER_003: { error: 'Transition not allowed', message: 'The order cannot do that now' },
  FEED_001: {
    error: 'Cursor no longer valid',
    message: 'The service was restored to an earlier moment. Read on with the cursor in restartAfter',
  },
  PANEL_001: { error: 'Not found', message: 'There is no such thing here' },
  PANEL_002: { error: 'Not possible', message: 'This cannot be done now' },
  SRV_001: { error: 'Temporarily unavailable', message: 'Try again shortly; repeating the request is safe' },
  SRV_002: { error: 'Internal error', message: 'Something went wrong on our side; repeating the request is safe' },
} as const;

export type RefusalCode = keyof typeof REFUSALS;

/** What only the pages meet; integrators never do. */
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
  /** Replaces the catalogue's text where the case can be said more exactly. */
  message?: string;
  details?: FieldProblem[];
  /** How long to wait until the same request is accepted, where that is known. */
  retryAfterSeconds?: number;
  /** With FEED_001: the cursor to send as \`after\` next. */
  restartAfter?: string;
}

export function refuse(code: RefusalCode, message?: string, details?: FieldProblem[]): Refusal {
  return { code, ...(message !== undefined && { message }), ...(details !== undefined && { details }) };
}
