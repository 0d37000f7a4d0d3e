// How an attempt can fail, with the text for the tenant. No text may reveal anything about our own network.

export type ErrorClass =
  | 'refused_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'http_status'
  | 'protocol'
  | 'closed'
  | 'invalid_url'
  | 'secret'
  | 'withdrawn';

export interface AttemptFailure {
  errorClass: ErrorClass;
  errorText: string;
}

/** One text for all causes: anything more specific would turn the panel into a scanner of our network. */
export const REFUSED_ADDRESS: AttemptFailure = {
  errorClass: 'refused_address',
  errorText: 'The host name does not resolve to an address that webhooks may be sent to',
};

export const SECRET_UNREADABLE: AttemptFailure = {
  errorClass: 'secret',
  errorText: 'The webhook secret cannot be read, so nothing was sent',
};

export const SENDER_CLOSED: AttemptFailure = {
  errorClass: 'closed',
  errorText: 'The service was stopping and did not send the request',
};

export const WITHDRAWN: AttemptFailure = {
  errorClass: 'withdrawn',
  errorText: 'The attempt was withdrawn before anything was sent',
};

export const CLOSED_EARLY: AttemptFailure = {
  errorClass: 'closed',
  errorText: 'The receiver closed the connection before it answered',
};

export const TOO_MUCH_BEFORE_ANSWER: AttemptFailure = {
  errorClass: 'protocol',
  errorText: 'The receiver sent too much data before a final status',
};

export const NOT_HTTP: AttemptFailure = {
  errorClass: 'protocol',
  errorText: 'The response is not valid HTTP/1.1',
};

export const NOT_WRITABLE: AttemptFailure = {
  errorClass: 'protocol',
  errorText: 'The request could not be written',
};

export function timedOut(deadlineMs: number): AttemptFailure {
  return { errorClass: 'timeout', errorText: `No response within ${deadlineMs / 1000} seconds` };
}

export function badStatus(status: number): AttemptFailure {
  return { errorClass: 'http_status', errorText: `The receiver responded with status ${status}` };
}

const CONNECT_TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was reset',
  EHOSTUNREACH: 'The host cannot be reached',
  ENETUNREACH: "The host's network cannot be reached",
  ETIMEDOUT: 'The connection timed out',
};

export function connectFailed(code: string): AttemptFailure {
  return { errorClass: 'connect', errorText: CONNECT_TEXTS[code] ?? 'The connection failed' };
}

// Codes of Node, of OpenSSL's verification and of OpenSSL's alerts. Unknown codes get the general text below.
const TLS_TEXTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'The certificate has expired',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate chain ends in a certificate authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'The certificate chain is incomplete, or its authority is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate chain is incomplete, or its authority is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate chain is incomplete, or its authority is not trusted',
  INVALID_PURPOSE: 'The certificate is not issued for server authentication',
  INVALID_CA: 'The certificate was issued by a certificate that is not a certificate authority',
  ERR_SSL_EE_KEY_TOO_SMALL: 'The key of the certificate is too small',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another host name (subject alternative name)',
  ERR_SSL_WRONG_VERSION_NUMBER: 'The receiver does not use TLS on this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'The receiver does not use TLS on this port',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'The receiver does not support TLS 1.2 or later',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'The receiver does not support TLS 1.2 or later',
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'The receiver does not support HTTP/1.1',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'The receiver requires a client certificate',
  ECONNRESET: 'The receiver closed the connection during the TLS handshake',
  ETIMEDOUT: 'The TLS handshake timed out',
};

export function tlsFailed(cause: Error | 'ETIMEDOUT' | 'ECONNRESET'): AttemptFailure {
  const code = typeof cause === 'string' ? cause : codeOf(cause);
  const known = TLS_TEXTS[code];
  if (known !== undefined) return { errorClass: 'tls', errorText: known };
  // Node has no code for weak keys and signatures; OpenSSL's fixed wording is the only way to recognize them.
  const isWeak = typeof cause !== 'string' && cause.message.endsWith('too weak');
  const errorText = isWeak ? 'A key or signature of the certificate is too weak' : 'The TLS connection failed';
  return { errorClass: 'tls', errorText: errorText + named(code) };
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function named(code: string): string {
  return /^(?!UNSPECIFIED)[A-Z][A-Z0-9_]{2,60}$/.test(code) ? ` (${code})` : '';
}
