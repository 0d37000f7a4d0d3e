import { createHmac } from 'node:crypto';

/** The value of `X-Service-Signature`: lowercase hexadecimal HMAC-SHA256 over exactly the bytes that are sent. */
export function signBody(body: string | Uint8Array, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}
