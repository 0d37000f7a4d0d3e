import { webcrypto } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { signBody } from './sign.ts';

test('the signature matches the published HMAC-SHA256 test vector (RFC 4231, case 2)', () => {
  expect(signBody('what do ya want for nothing?', 'Jefe')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

const bodies = fc.string({ unit: 'grapheme' });
/** Short and long secrets: HMAC hashes those beyond 64 bytes first. */
const secrets = fc.oneof(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme', minLength: 60, maxLength: 70 }));

test('signatures match an independent implementation for any body and secret, as text and as bytes', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, secrets, async (body, secret) => {
      const bytes = new TextEncoder().encode(body);
      const algorithm = { name: 'HMAC', hash: 'SHA-256' };
      const raw = new TextEncoder().encode(secret);
      const key = await webcrypto.subtle.importKey('raw', raw, algorithm, false, ['sign']);
      const expected = Buffer.from(await webcrypto.subtle.sign('HMAC', key, bytes)).toString('hex');
      expect(signBody(body, secret)).toBe(expected);
      expect(signBody(bytes, secret)).toBe(expected);
    }),
  );
});

test('a body that differs in one byte has a different signature', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (body, at, flip) => {
      const other = Uint8Array.from(body);
      const index = at % body.length;
      other[index] = (other[index] ?? 0) ^ flip;
      expect(signBody(other, 'secret')).not.toBe(signBody(body, 'secret'));
    }),
  );
});
