// The only way to send a webhook: once, safely. Owns the connections; retries are up to the caller.
import type { Clock } from '../../platform.ts';
import { createAddressGuard } from '../dial/address-guard.ts';
import { Attempt, type AttemptDeps, type Target } from './attempt.ts';
import { notSent, type AttemptOutcome, type AttemptRequest } from './attempt-outcome.ts';
import { SENDER_CLOSED, timedOut, type AttemptFailure } from '../dial/attempt-failure.ts';
import { ConnectionPool } from '../wire/connection-pool.ts';
import { readEndpointUrl } from '../../domain/webhooks/endpoint-url.ts';
import { failedInspection, inspectEndpoint, type EndpointInspection } from '../dial/inspect.ts';
import { createNameResolver, type NameResolver } from '../dial/resolve.ts';
import { createTrust } from '../dial/trust.ts';
import { openingOf } from '../wire/request.ts';

export type { AttemptOutcome, AttemptRequest } from './attempt-outcome.ts';
export type { ErrorClass } from '../dial/attempt-failure.ts';
export type { EndpointInspection } from '../dial/inspect.ts';
export type { NameResolver } from '../dial/resolve.ts';

/** Contract 4.2: an answer within five seconds. */
const DEADLINE_MS = 5000;
const MAX_KNOWN_URLS = 10_000;

export interface Sender {
  /** Never rejects. */
  send(request: AttemptRequest): Promise<AttemptOutcome>;
  /** The live check: resolves, connects and inspects the certificates without sending anything. Never rejects. */
  inspect(url: string): Promise<EndpointInspection>;
  /** Lets running attempts end, rejects new ones, then closes every connection. */
  close(): Promise<void>;
  stats(): { openConnections: number };
}

export interface SenderOptions {
  /** Networks that may be reached although they are not public. Opens nothing else. */
  allowCidrs: readonly string[];
  /** PEM text of certificate authorities to trust in addition to the system's. */
  caFile?: string;
  clock: Clock;
  resolver?: NameResolver;
  maxConnectionsPerEndpoint?: number;
  deadlineMs?: number;
}

export function createSender(options: SenderOptions): Sender {
  const { clock, deadlineMs = DEADLINE_MS } = options;
  const resolver = options.resolver ?? createNameResolver({ clock });
  const pool = new ConnectionPool({ clock, maxPerOrigin: options.maxConnectionsPerEndpoint });
  const guard = createAddressGuard({ allowCidrs: options.allowCidrs, clock });
  const trust = createTrust(options.caFile);
  let runningCount = 0;
  let isClosing = false;
  let onIdle = (): void => {};
  function onSettled(): void {
    runningCount -= 1;
    if (runningCount === 0) onIdle();
  }
  const isClosingNow = (): boolean => isClosing;
  const deps: AttemptDeps = { clock, resolver, guard, trust, pool, deadlineMs, isClosing: isClosingNow, onSettled };

  // A tenant's URL is used often and changes rarely, so it is parsed once and cached until there are too many.
  const targets = new Map<string, { url: string; target: Target | AttemptFailure }>();
  let parsedCount = 0;
  function findTarget(url: string, tenant = url): Target | AttemptFailure {
    const known = targets.get(tenant);
    if (known?.url === url) return known.target;
    parsedCount += 1;
    if (parsedCount >= MAX_KNOWN_URLS) {
      parsedCount = 0;
      targets.clear();
      pool.forgetUnused();
    }
    const target = readTarget(url, tenant, pool);
    targets.set(tenant, { url, target });
    return target;
  }

  return {
    send(request) {
      const target = isClosing ? SENDER_CLOSED : findTarget(request.url, request.tenant);
      if ('errorClass' in target) return Promise.resolve(notSent(target, clock.now()));
      runningCount += 1;
      return new Attempt(deps, target, request).run();
    },
    inspect(url) {
      const target = isClosing ? SENDER_CLOSED : findTarget(url);
      if ('errorClass' in target) return Promise.resolve(failedInspection(target));
      runningCount += 1;
      const onDeadline = timedOut(deadlineMs);
      return inspectEndpoint(deps, target.share.origin, { deadlineMs, onDeadline }).finally(onSettled);
    },
    async close() {
      isClosing = true;
      pool.releaseWaiters();
      if (runningCount > 0) await new Promise<void>((resolve) => (onIdle = resolve));
      pool.closeIdle();
      resolver.close();
    },
    stats: () => ({ openConnections: pool.openCount }),
  };
}

function readTarget(url: string, tenant: string, pool: ConnectionPool): Target | AttemptFailure {
  const reading = readEndpointUrl(url);
  if (!reading.ok) return { errorClass: 'invalid_url', errorText: reading.message };
  return { share: pool.shareOf(reading.endpoint, tenant), opening: openingOf(reading.endpoint) };
}
