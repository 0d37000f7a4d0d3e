// The demo's own certificate authority, and the certificates that it issues for the demo's receiver.
import { X509Certificate } from 'node:crypto';
import { HOUR_MS, type Instant } from '../domain/time.ts';
import { createAuthority, issueServerCertificate, loadAuthority, type Authority } from './certificates.ts';
import type { DemoFile } from './demo-file.ts';

const NAME = 'Waybill demo authority';
const DAY_MS = 24 * HOUR_MS;
/** Longer than the lifetime of a certificate that it signs today. */
const MIN_AUTHORITY_MS = 500 * DAY_MS;
const MIN_CERTIFICATE_MS = 30 * DAY_MS;

/** Returns the authority in the file, or a new one if there is none or it is about to expire. */
export async function obtainAuthority(file: DemoFile, now: Instant): Promise<Authority> {
  const kept = await loadKept(file);
  if (kept !== undefined && hasLeft(kept.certificatePem, now, MIN_AUTHORITY_MS)) return kept;
  const authority = await createAuthority(NAME, { now });
  const { certificatePem, privateKeyPem } = authority;
  await file.remember({ authority: { certificatePem, privateKeyPem } });
  return authority;
}

async function loadKept(file: DemoFile): Promise<Authority | undefined> {
  const kept = file.memory.authority;
  if (kept === undefined) return undefined;
  try {
    return await loadAuthority(NAME, kept.certificatePem, kept.privateKeyPem);
  } catch {
    return undefined;
  }
}

export interface ReceiverCertificate {
  cert: string;
  key: string;
}

export async function issueReceiverCertificate(authority: Authority, now: Instant): Promise<ReceiverCertificate> {
  const { chainPem, privateKeyPem } = await issueServerCertificate(authority, { names: ['localhost'], now });
  return { cert: chainPem, key: privateKeyPem };
}

export function expiresSoon(certificate: ReceiverCertificate, now: Instant): boolean {
  return !hasLeft(certificate.cert, now, MIN_CERTIFICATE_MS);
}

function hasLeft(pem: string, now: Instant, leastMs: number): boolean {
  const { validFromDate, validToDate } = new X509Certificate(pem);
  // If the clock was set back, the certificate is not valid yet, which is as useless as an expired one.
  return validFromDate.getTime() <= now && validToDate.getTime() - now >= leastMs;
}
