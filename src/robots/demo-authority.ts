// The demo's own certificate authority, and the certificates that its receiver gets from it.
import { X509Certificate } from 'node:crypto';
import { HOUR_MS, type Instant } from '../domain/time.ts';
import { createAuthority, issueServerCertificate, loadAuthority, type Authority } from './certificates.ts';
import type { DemoFile } from './demo-file.ts';

const NAME = 'Waybill demo authority';
const DAY_MS = 24 * HOUR_MS;
/** Longer than a certificate that it signs today will live. */
const LEAST_AUTHORITY_MS = 500 * DAY_MS;
const LEAST_CERTIFICATE_MS = 30 * DAY_MS;

/** The one in the file, or a new one when there is none, or when it nears its end. */
export async function obtainAuthority(file: DemoFile, now: Instant): Promise<Authority> {
  const kept = await loadKept(file);
  if (kept !== undefined && hasLeft(kept.certificatePem, now, LEAST_AUTHORITY_MS)) return kept;
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

export function nearsItsEnd(certificate: ReceiverCertificate, now: Instant): boolean {
  return !hasLeft(certificate.cert, now, LEAST_CERTIFICATE_MS);
}

function hasLeft(pem: string, now: Instant, leastMs: number): boolean {
  const { validFromDate, validToDate } = new X509Certificate(pem);
  // A clock that was set back makes a certificate of the future, which is as useless as one of the past.
  return validFromDate.getTime() <= now && validToDate.getTime() - now >= leastMs;
}
