// The live check of an endpoint: what its name resolves to and which certificates it shows, without a request.
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { AttemptFailure, ErrorClass } from './attempt-failure.ts';
import { Dial, type DialDeps, type Destination } from './connect.ts';

const DAY_MS = 86_400_000;
const MAX_CHAIN = 8;

export interface CertificateSummary {
  subject: string;
  issuer: string;
  /** ISO 8601. */
  validFrom: string;
  validTo: string;
  daysLeft: number;
}

export interface EndpointInspection {
  ok: boolean;
  errorClass: ErrorClass | null;
  errorText: string | null;
  addresses: readonly string[];
  remoteAddress: string | null;
  tlsVersion: string | null;
  /** The receiver's own first, the root last. */
  certificates: CertificateSummary[];
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
}

const NOTHING_SEEN: EndpointInspection = {
  ok: false,
  errorClass: null,
  errorText: null,
  addresses: [],
  remoteAddress: null,
  tlsVersion: null,
  certificates: [],
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
};

export function failedInspection(failure: AttemptFailure): EndpointInspection {
  return { ...NOTHING_SEEN, ...failure };
}

export function inspectEndpoint(
  deps: DialDeps,
  to: Destination,
  deadline: { deadlineMs: number; onDeadline: AttemptFailure },
): Promise<EndpointInspection> {
  return new Promise((resolve) => {
    const end = (seen: EndpointInspection): void => {
      clearTimeout(timer);
      const { dnsMs, connectMs, tlsMs, remoteAddress } = dial;
      resolve({ ...seen, dnsMs, connectMs, tlsMs, remoteAddress });
    };
    const dial = new Dial(deps, to, {
      onDialFailed: (failure) => end(failedInspection(failure)),
      onDialled: ({ socket, addresses }) => {
        const certificates = summariseChain(socket, deps.clock.now());
        const tlsVersion = socket.getProtocol();
        socket.destroy();
        end({ ...NOTHING_SEEN, ok: true, addresses, tlsVersion, certificates });
      },
    });
    const timer = setTimeout(() => {
      dial.cancel();
      end(failedInspection(deadline.onDeadline));
    }, deadline.deadlineMs);
    dial.start();
  });
}

function summariseChain(socket: TLSSocket, now: number): CertificateSummary[] {
  const chain: CertificateSummary[] = [];
  const seen = new Set<string>();
  let certificate: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  // A root is its own issuer, so the walk ends where it would repeat itself.
  while (certificate?.fingerprint256 !== undefined && !seen.has(certificate.fingerprint256)) {
    if (chain.length === MAX_CHAIN) break;
    seen.add(certificate.fingerprint256);
    chain.push(summarise(certificate, now));
    certificate = certificate.issuerCertificate;
  }
  return chain;
}

function summarise(certificate: DetailedPeerCertificate, now: number): CertificateSummary {
  const validTo = new Date(certificate.valid_to);
  return {
    subject: nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    validFrom: new Date(certificate.valid_from).toISOString(),
    validTo: validTo.toISOString(),
    daysLeft: Math.floor((validTo.getTime() - now) / DAY_MS),
  };
}

function nameOf(name: DetailedPeerCertificate['subject']): string {
  const value = name.CN ?? name.O ?? name.OU ?? '';
  return Array.isArray(value) ? value.join(', ') : value;
}
