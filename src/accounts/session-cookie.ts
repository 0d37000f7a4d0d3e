// Reads the session cookie that the authentication library signs. The request guard does this itself, so that a request
// costs one statement. The library renews and ends sessions.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { DAY_MS } from '../domain/time.ts';

export const SESSION_COOKIE = '__Host-waybill_session';
export const SESSION_LIFETIME_MS = 30 * DAY_MS;
/** The age at which a session is written again with a new expiry. */
export const SESSION_RENEWAL_MS = DAY_MS;

export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0 && part.slice(0, equals).trim() === name) return decode(part.slice(equals + 1).trim());
  }
  return undefined;
}

/** The session's token, if the cookie is one of ours. */
export function readSessionToken(header: string | undefined, secret: string): string | undefined {
  const value = readCookie(header, SESSION_COOKIE);
  const dot = value?.lastIndexOf('.') ?? -1;
  if (value === undefined || dot < 1) return undefined;
  const token = value.slice(0, dot);
  const expected = createHmac('sha256', secret).update(token).digest();
  const given = Buffer.from(value.slice(dot + 1), 'base64');
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : undefined;
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
