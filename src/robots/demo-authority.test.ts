import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { HOUR_MS } from '../domain/time.ts';
import { issueReceiverCertificate, expiresSoon, obtainAuthority } from './demo-authority.ts';
import type { DemoFile, DemoMemory } from './demo-file.ts';

const DAY_MS = 24 * HOUR_MS;
const NOW = Date.parse('2026-03-01T12:00:00Z');

function fileInMemory(): DemoFile {
  const memory: DemoMemory = { logins: {} };
  return { memory, remember: async (change) => void Object.assign(memory, change) };
}

test('the authority and its certificates stay the same across restarts', async () => {
  const file = fileInMemory();
  const first = await obtainAuthority(file, NOW);
  const second = await obtainAuthority(file, NOW + 365 * DAY_MS);
  expect(second.certificatePem).toBe(first.certificatePem);
  const { cert } = await issueReceiverCertificate(second, NOW);
  expect(new X509Certificate(cert).verify(new X509Certificate(first.certificatePem).publicKey)).toBe(true);
});

test('an authority is replaced before it expires or when it cannot be read', async () => {
  const file = fileInMemory();
  const first = await obtainAuthority(file, NOW);
  const later = await obtainAuthority(file, NOW + 3_300 * DAY_MS);
  expect(later.certificatePem).not.toBe(first.certificatePem);
  await file.remember({ authority: { certificatePem: later.certificatePem, privateKeyPem: 'lost' } });
  const repaired = await obtainAuthority(file, NOW + 3_300 * DAY_MS);
  expect(repaired.certificatePem).not.toBe(later.certificatePem);
});

test('a certificate is due for renewal a month before it expires', async () => {
  const certificate = await issueReceiverCertificate(await obtainAuthority(fileInMemory(), NOW), NOW);
  expect(expiresSoon(certificate, NOW + 360 * DAY_MS)).toBe(false);
  expect(expiresSoon(certificate, NOW + 370 * DAY_MS)).toBe(true);
});
