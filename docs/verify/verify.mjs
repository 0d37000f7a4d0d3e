import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * @param {string} secret the webhook secret, as it was shown
 * @param {Buffer} body the bytes of the request, before anything parsed them
 * @param {string | undefined} signature the header X-Service-Signature
 */
export function isFromWaybill(secret, body, signature) {
  if (!secret || !/^[0-9a-f]{64}$/.test(signature ?? '')) return false;
  const expected = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}

// node verify.mjs vectors.json
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { vectors } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
  const decode = (base64) => Buffer.from(base64, 'base64');
  const wrong = vectors.filter(
    ({ secretBase64, bodyBase64, signature, valid }) =>
      isFromWaybill(decode(secretBase64).toString('utf8'), decode(bodyBase64), signature) !== valid,
  );
  for (const { name } of wrong) process.stderr.write(`mismatch: ${name}\n`);
  process.stdout.write(`${vectors.length - wrong.length} of ${vectors.length} vectors agree\n`);
  process.exitCode = wrong.length === 0 && vectors.length > 0 ? 0 : 1;
}
