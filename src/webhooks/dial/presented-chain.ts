// Describes the certificates that a receiver presented, and what is wrong with each, for the people who have to fix
// them. Whether they are accepted was decided before, in the handshake.
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { DAY_MS, formatUtc, type Instant } from '../../domain/time.ts';
import { checkIdentity } from './trust.ts';

const MAX_CHAIN = 8;
/** A certificate may hold hundreds of names; a missing name is reported as a separate fault. */
const MAX_NAMES = 5;

/** What is wrong with a certificate: its validity period, the hosts it is for, or its issuer. */
export type CertificateFault = 'validity' | 'names' | 'issuer';

export interface CertificateSummary {
  subject: string;
  issuer: string;
  /** ISO 8601. */
  validFrom: string;
  validTo: string;
  daysLeft: number;
  /** The first few of the hosts it is for. */
  names: string[];
  moreNames: number;
  faults: CertificateFault[];
}

/** OpenSSL's codes for a chain without a trusted issuer. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'INVALID_CA',
]);

/** The receiver's own certificate first; the last is a root, unless the chain is incomplete. */
export type PresentedChain = readonly DetailedPeerCertificate[];

export function readChain(socket: TLSSocket): PresentedChain {
  const chain: DetailedPeerCertificate[] = [];
  const seen = new Set<string>();
  let certificate: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  // A root is its own issuer, so the loop ends at the first repeated certificate.
  while (certificate?.fingerprint256 !== undefined && !seen.has(certificate.fingerprint256)) {
    if (chain.length === MAX_CHAIN) break;
    seen.add(certificate.fingerprint256);
    chain.push(certificate);
    certificate = certificate.issuerCertificate;
  }
  return chain;
}

export function summarizeChain(chain: PresentedChain, now: Instant): CertificateSummary[] {
  return chain.map((certificate) => summarize(certificate, now));
}

export interface Refusal {
  hostname: string;
  /** The last problem that the handshake found; there may be more. */
  code: string;
  now: Instant;
}

export function explainChain(chain: PresentedChain, { hostname, code, now }: Refusal): CertificateSummary[] {
  return chain.map((certificate, index) => {
    const faults: CertificateFault[] = [];
    if (now < Date.parse(certificate.valid_from) || now > Date.parse(certificate.valid_to)) faults.push('validity');
    if (index === 0 && checkIdentity(hostname, certificate) !== undefined) faults.push('names');
    const isLast = index === chain.length - 1;
    if (isLast && (UNTRUSTED.has(code) || !isOwnIssuer(certificate))) faults.push('issuer');
    return { ...summarize(certificate, now), faults };
  });
}

/** A last certificate that is not its own issuer means that the chain is incomplete. */
function isOwnIssuer({ fingerprint256, issuerCertificate }: DetailedPeerCertificate): boolean {
  return issuerCertificate?.fingerprint256 === fingerprint256;
}

function summarize(certificate: DetailedPeerCertificate, now: Instant): CertificateSummary {
  const validTo = Date.parse(certificate.valid_to);
  const names = listNames(certificate);
  return {
    subject: nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    validFrom: formatUtc(Date.parse(certificate.valid_from)),
    validTo: formatUtc(validTo),
    daysLeft: Math.floor((validTo - now) / DAY_MS),
    names: names.slice(0, MAX_NAMES),
    moreNames: Math.max(0, names.length - MAX_NAMES),
    faults: [],
  };
}

/** Node joins them into one string, for example `DNS:a.example, DNS:b.example`. */
function listNames({ subjectaltname = '' }: DetailedPeerCertificate): string[] {
  return subjectaltname.split(', ').flatMap((entry) => (entry.startsWith('DNS:') ? [entry.slice('DNS:'.length)] : []));
}

function nameOf(name: DetailedPeerCertificate['subject']): string {
  const value = name.CN ?? name.O ?? name.OU ?? '';
  return Array.isArray(value) ? value.join(', ') : value;
}
