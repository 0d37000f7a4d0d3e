// Where webhooks go, by host and port, and what each tenant has of it.
import type { Connection } from './connection.ts';
import type { Destination } from '../dial/connect.ts';

export interface Waiter {
  /** Its time is running already: it has a receiver that hung up on it. */
  readonly isUrgent: boolean;
  /** A connection has become idle or a slot free, to be taken before this returns. False when no longer wanted. */
  onTurn(): boolean;
}

export interface Origin extends Destination {
  /** Connections that exist or are being made. */
  openCount: number;
  /** Those of them that are being made. */
  diallingCount: number;
  /** Most recently used last: those at the front go stale together and are closed. */
  readonly idle: Connection[];
  /** Since when each request under way has had its connection, oldest first. */
  readonly uses: Map<Waiter, number>;
  /** Shares that have somebody waiting, in the order of their turns. */
  waiting: Set<Share>;
  hangingTimer: NodeJS.Timeout | undefined;
  /** Whether the last connection to it could not be made. */
  isUnreachable: boolean;
}

/**
 * What one tenant has of an origin. Tenants whose endpoints are on the same host share its connections, but neither
 * their turns nor their failures: a host that hangs for some of them may answer the others.
 */
export interface Share {
  readonly origin: Origin;
  /** Connections that its requests have now. */
  useCount: number;
  readonly waiting: Waiter[];
  /** Whether its last attempt was not answered. */
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

  /** Forgets what is not in use; whoever kept a share has to ask for it again. */
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
    diallingCount: 0,
    idle: [],
    uses: new Map(),
    waiting: new Set(),
    hangingTimer: undefined,
    isUnreachable: false,
  };
}
