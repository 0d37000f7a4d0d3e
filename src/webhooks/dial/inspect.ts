// The live check of an endpoint: what its name resolves to and which certificates it presents, without a request.
import { isPublic } from './address-guard.ts';
import type { AttemptFailure, ErrorClass } from './attempt-failure.ts';
import { Dial, type DialDeps, type Destination } from './connect.ts';
import {
  explainChain,
  readChain,
  summarizeChain,
  type CertificateSummary,
  type PresentedChain,
} from './presented-chain.ts';

export interface EndpointInspection {
  ok: boolean;
  errorClass: ErrorClass | null;
  errorText: string | null;
  addresses: readonly string[];
  remoteAddress: string | null;
  /** Whether the address is not public and was dialed only because the operator opened its network. */
  isPrivateAddress: boolean;
  tlsVersion: string | null;
  /** The receiver's own first, the root last; includes rejected ones. */
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
  isPrivateAddress: false,
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
      const isPrivateAddress = remoteAddress !== null && !isPublic(remoteAddress);
      resolve({ ...seen, dnsMs, connectMs, tlsMs, remoteAddress, isPrivateAddress });
    };
    let chain: PresentedChain = [];
    let tlsVersion: string | null = null;
    const dial = new Dial(deps, to, {
      onCertificates: (socket) => {
        chain = readChain(socket);
        tlsVersion = socket.getProtocol();
      },
      onDialFailed: (failure, code) => {
        const certificates = explainChain(chain, { hostname: to.hostname, code, now: deps.clock.now() });
        end({ ...failedInspection(failure), tlsVersion, certificates });
      },
      onDialed: ({ socket, addresses }) => {
        socket.destroy();
        const certificates = summarizeChain(chain, deps.clock.now());
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
