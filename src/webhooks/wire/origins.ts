// The destinations of webhooks, by host and port, and each tenant's share of them.
import type { Connection } from './connection.ts';
import type { Destination } from '../dial/connect.ts';

export interface Waiter {
  /** Whether its deadline is already running, because the receiver closed its first connection. */
  readonly isUrgent: boolean;
  /** A connection became idle or a slot free; take it before returning. Returns false if it is no longer needed. */
  onTurn(): boolean;
}

export interface Origin extends Destination {
  /** Connections that exist or are being dialed. */
  openCount: number;
  /** Those of them that are being dialed. */
  dialingCount: number;
  /** Most recently used last, so that those at the front go stale together and are closed. */
  readonly idle: Connection[];
  /** When each request in flight got its connection, oldest first. */
  readonly uses: Map<Waiter, number>;
  /** Shares with waiting requests, in the order of their turns. */
  waiting: Set<Share>;
  hangingTimer: NodeJS.Timeout | undefined;
  /** Whether the last dial failed. */
  isUnreachable: boolean;
}

/**
 * One tenant's use of an origin. Tenants whose endpoints are on the same host share its connections, but not their
 * turns or their failures: a host that hangs for some tenants may answer others.
 */
export interface Share {
  readonly origin: Origin;
  /** Connections in use by its requests. */
  useCount: number;
  readonly waiting: Waiter[];
  /** Whether its last attempt got no answer. */
  isSilent: boolean;
}

export class Origins {
  readonly #byName = new Map<string, { origin: Origin; shares: Map<string, Share> }>();

  shareOf(to: Destination, tenant: string): Share {
    const name = `${to.hostname}:${to.port}`;
    const known = this.#byName.get(name) ?? { origin: createOrigin(to), shares: new Map<string, Share>() };
    this.#byName.set(name, known);
    const { origin, shares } = known;
    const share = shares.get(tenant) ?? { origin, useCount: 0, waiting: [], isSilent: false };
    shares.set(tenant, share);
    return share;
  }

  /** Forgets unused shares and origins. A share obtained before must not be kept across this call. */
  forgetUnused(): void {
    for (const [name, { origin, shares }] of this.#byName) {
      for (const [tenant, share] of shares) {
        if (share.useCount === 0 && share.waiting.length === 0) shares.delete(tenant);
      }
      if (origin.openCount === 0 && shares.size === 0) this.#byName.delete(name);
    }
  }
}

function createOrigin({ hostname, port, isSpecial }: Destination): Origin {
  return {
    hostname,
    port,
    isSpecial,
    openCount: 0,
    dialingCount: 0,
    idle: [],
    uses: new Map(),
    waiting: new Set(),
    hangingTimer: undefined,
    isUnreachable: false,
  };
}
