// HMAC-SHA256 by its definition (RFC 2104), with the key prepared once, as that recommends: every webhook is signed, and
// half of what the runtime's own createHmac takes goes into finding the algorithm and preparing the key.
import { createHmac, hash } from 'node:crypto';

const ALGORITHM = 'sha256';
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/** What is longer is signed the usual way. */
const LONGEST_BODY = 8_192;
const MOST_BYTES_A_CHARACTER = 3;
const MOST_KEYS = 10_000;

interface PreparedKey {
  /** Hashed before the body. */
  inner: Buffer;
  /** Hashed before the digest of that; with room for it at its end. */
  outer: Buffer;
}

const preparedKeys = new Map<string, PreparedKey>();
const message = Buffer.alloc(BLOCK_BYTES + LONGEST_BODY * MOST_BYTES_A_CHARACTER);

/** The value of `X-Service-Signature`: lowercase hexadecimal HMAC-SHA256 over exactly the bytes that are sent. */
export function signBody(body: string | Uint8Array, secret: string): string {
  if (body.length > LONGEST_BODY) return createHmac(ALGORITHM, secret).update(body).digest('hex');
  const { inner, outer } = preparedKeyOf(secret);
  message.set(inner);
  const end = BLOCK_BYTES + writeBody(body);
  // As a string of its bytes it costs less than memory of its own.
  outer.write(hash(ALGORITHM, message.subarray(0, end), 'binary'), BLOCK_BYTES, 'binary');
  return hash(ALGORITHM, outer, 'hex');
}

function writeBody(body: string | Uint8Array): number {
  if (typeof body === 'string') {
    const isAscii = Buffer.byteLength(body) === body.length;
    return message.write(body, BLOCK_BYTES, isAscii ? 'latin1' : 'utf8');
  }
  message.set(body, BLOCK_BYTES);
  return body.length;
}

function preparedKeyOf(secret: string): PreparedKey {
  const known = preparedKeys.get(secret);
  if (known !== undefined) return known;
  if (preparedKeys.size >= MOST_KEYS) preparedKeys.clear();
  const prepared = prepareKey(secret);
  preparedKeys.set(secret, prepared);
  return prepared;
}

function prepareKey(secret: string): PreparedKey {
  const bytes = Buffer.from(secret);
  const key = bytes.length > BLOCK_BYTES ? hash(ALGORITHM, bytes, 'buffer') : bytes;
  const inner = Buffer.alloc(BLOCK_BYTES, INNER_PAD);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, OUTER_PAD);
  for (const [index, byte] of key.entries()) {
    inner[index] = INNER_PAD ^ byte;
    outer[index] = OUTER_PAD ^ byte;
  }
  return { inner, outer };
}
