// How many connections there are, which of them are idle, and who waits for one. Knows nothing of HTTP.
import type { Connection } from './connection.ts';
import type { Destination } from './connect.ts';

/** An old connection would outlive a move of the name to another address, or the certificate. */
const MAX_AGE_MS = 60_000;
const MAX_CONNECTIONS = 2048;
const DEFAULT_MAX_PER_ORIGIN = 64;
/**
 * Between the beginnings of two connections. A handshake takes about 1.5 ms of the thread that everything else needs
 * too: when hundreds of endpoints want one at the same moment, those that have theirs must not wait for all of them.
 */
const DIAL_PAUSE_MS = 3;

export interface Origin extends Destination {
  /** Connections that exist or are being made. */
  openCount: number;
  /** Most recently used last: those at the front go stale together and are closed. */
  readonly idle: Connection[];
  readonly waiting: Waiter[];
  /** Whether its last attempt was answered. */
  isAnswering: boolean;
}

export interface Waiter {
  /** A connection has become idle or a slot free, to be taken before this returns. False when no longer wanted. */
  onTurn(): boolean;
}

export interface ConnectionPoolOptions {
  maxPerOrigin?: number | undefined;
  maxConnections?: number | undefined;
}

export class ConnectionPool {
  openCount = 0;
  readonly #maxPerOrigin: number;
  readonly #maxConnections: number;
  readonly #origins = new Map<string, Origin>();
  /** Oldest first. */
  readonly #idle = new Set<Connection>();
  readonly #waitingOrigins = new Set<Origin>();
  #isPausing = false;
  /** Whether the next new connection is for an origin that answers, if one waits; else for one that does not. */
  #prefersAnswering = true;

  constructor(options: ConnectionPoolOptions) {
    this.#maxPerOrigin = options.maxPerOrigin ?? DEFAULT_MAX_PER_ORIGIN;
    this.#maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
  }

  originOf(to: Destination): Origin {
    const name = `${to.hostname}:${to.port}`;
    const known = this.#origins.get(name);
    if (known !== undefined) return known;
    const { hostname, port, isSpecial } = to;
    const origin: Origin = { hostname, port, isSpecial, openCount: 0, idle: [], waiting: [], isAnswering: false };
    this.#origins.set(name, origin);
    return origin;
  }

  /** Forgets origins that nothing is connected to; whoever kept one has to ask for it again. */
  forgetUnused(): void {
    for (const [name, origin] of this.#origins) {
      if (origin.openCount === 0 && origin.waiting.length === 0) this.#origins.delete(name);
    }
  }

  takeIdle(origin: Origin, nowMs: number): Connection | undefined {
    for (;;) {
      const connection = origin.idle.pop();
      if (connection === undefined) return undefined;
      this.#idle.delete(connection);
      if (connection.isUsable && nowMs - connection.bornMs < MAX_AGE_MS) return connection;
      connection.destroy();
    }
  }

  /** Takes a slot for a new connection; every true is answered by one `freeSlot`. */
  takeSlot(origin: Origin): boolean {
    if (this.#isPausing || origin.openCount >= this.#maxPerOrigin) return false;
    if (this.openCount >= this.#maxConnections && !this.#closeOldestIdle()) return false;
    origin.openCount += 1;
    this.openCount += 1;
    this.#pause();
    return true;
  }

  freeSlot(origin: Origin): void {
    origin.openCount -= 1;
    this.openCount -= 1;
    if (!this.#isPausing) this.#wake(origin);
  }

  wait(origin: Origin, waiter: Waiter): void {
    origin.waiting.push(waiter);
    this.#waitingOrigins.add(origin);
  }

  giveBack(origin: Origin, connection: Connection): void {
    origin.idle.push(connection);
    this.#idle.add(connection);
    if (origin.waiting.length > 0) this.#wake(origin);
  }

  drop(origin: Origin, connection: Connection): void {
    this.#idle.delete(connection);
    const index = origin.idle.indexOf(connection);
    if (index >= 0) origin.idle.splice(index, 1);
    this.freeSlot(origin);
  }

  /** Gives every waiter its turn at once, for the end of the service: none that has not begun will get a connection. */
  releaseWaiters(): void {
    const waiters = [...this.#waitingOrigins].flatMap((origin) => origin.waiting.splice(0));
    this.#waitingOrigins.clear();
    // What has begun already may have to wait once more.
    for (const waiter of waiters) waiter.onTurn();
  }

  closeIdle(): void {
    for (const connection of this.#idle) connection.destroy();
  }

  #closeOldestIdle(): boolean {
    for (const connection of this.#idle) {
      // Its slot is free when its socket is closed, in a moment; the limit may be exceeded by that one meanwhile.
      this.#idle.delete(connection);
      connection.destroy();
      return true;
    }
    return false;
  }

  #pause(): void {
    this.#isPausing = true;
    setTimeout(() => this.#endPause(), DIAL_PAUSE_MS);
  }

  /** Those that answer and those that do not take turns: neither many of the one kind nor of the other go first. */
  #endPause(): void {
    this.#isPausing = false;
    if (this.#waitingOrigins.size === 0) return;
    const prefersAnswering = this.#prefersAnswering;
    this.#prefersAnswering = !prefersAnswering;
    const isServed =
      this.#wakeFirst((origin) => origin.isAnswering === prefersAnswering) || this.#wakeFirst(() => true);
    // With a connection that had become idle, perhaps; the others still want a new one.
    if (isServed && !this.#isPausing) this.#pause();
  }

  /** Whoever was served goes to the end. */
  #wakeFirst(isMeant: (origin: Origin) => boolean): boolean {
    for (const origin of this.#waitingOrigins) {
      if (origin.openCount >= this.#maxPerOrigin || !isMeant(origin)) continue;
      this.#waitingOrigins.delete(origin);
      if (origin.waiting.length > 1) this.#waitingOrigins.add(origin);
      if (this.#wakeOne(origin)) return true;
    }
    return false;
  }

  #wake(origin: Origin): void {
    if (this.#waitingOrigins.size === 0) return;
    if (this.#wakeOne(origin) || this.#isPausing) return;
    // The slot that became free may be what another origin lacks.
    for (const other of this.#waitingOrigins) if (other.openCount < this.#maxPerOrigin && this.#wakeOne(other)) return;
  }

  #wakeOne(origin: Origin): boolean {
    for (;;) {
      const waiter = origin.waiting.shift();
      if (origin.waiting.length === 0) this.#waitingOrigins.delete(origin);
      if (waiter === undefined) return false;
      if (waiter.onTurn()) return true;
    }
  }
}
