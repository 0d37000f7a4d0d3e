// How many connections there are, which of them are idle, and who waits for one. Knows nothing of HTTP.
import type { Connection } from './connection.ts';
import type { Destination } from './connect.ts';

/**
 * An old connection would outlive a move of the name to another address, or the certificate. They do not all live
 * equally long: those that were opened together, as after a start, must not be replaced together.
 */
const LONGEST_LIFE_MS = 60_000;
const SHORTEST_LIFE_MS = 40_000;
/** Multiples of it, whole numbers taken away, lie evenly between 0 and 1 however many there are. */
const GOLDEN_RATIO = 0.618_033_988_75;
const MAX_CONNECTIONS = 2048;
const DEFAULT_MAX_PER_ORIGIN = 64;
/**
 * Between the beginnings of two connections. A handshake takes about 1.5 ms of the thread that everything else needs
 * too: when hundreds of endpoints want one at the same moment, those that have theirs must not wait for all of them.
 */
const PAUSE_MS = 5;
/** When as many as this had to wait in a row, more are wanted than that allows, and it is the queue that must not grow. */
const MANY_IN_A_ROW = 20;
const SHORT_PAUSE_MS = 2;
/**
 * And between two to endpoints that did not answer last time: most of these are made in vain. Should so many wait that
 * one which answers again would have its turn only after a minute, the first wait of the ladder, it is shorter.
 */
const PAUSE_IN_VAIN_MS = 500;
const LONGEST_TURN_MS = 60_000;

export interface Origin extends Destination {
  /** Connections that exist or are being made. */
  openCount: number;
  /** Those of them that are being made. */
  diallingCount: number;
  /** Most recently used last: those at the front go stale together and are closed. */
  readonly idle: Connection[];
  readonly waiting: Waiter[];
  /** Whether its last attempt was not answered. */
  isSilent: boolean;
}

/** New connections to endpoints that are silent, and those to all others, begin one after another. */
interface Lane {
  isPausing: boolean;
  /** How many had to wait, one after another, until somebody found it free. */
  inARow: number;
}

export interface Waiter {
  /** Its time is running already: it has a receiver that hung up on it. */
  readonly isUrgent: boolean;
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
  readonly #lane: Lane = { isPausing: false, inARow: 0 };
  readonly #silentLane: Lane = { isPausing: false, inARow: 0 };
  #lives = 0;

  constructor(options: ConnectionPoolOptions) {
    this.#maxPerOrigin = options.maxPerOrigin ?? DEFAULT_MAX_PER_ORIGIN;
    this.#maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
  }

  originOf(to: Destination): Origin {
    const name = `${to.hostname}:${to.port}`;
    const known = this.#origins.get(name);
    if (known !== undefined) return known;
    const { hostname, port, isSpecial } = to;
    const origin: Origin = {
      hostname,
      port,
      isSpecial,
      openCount: 0,
      diallingCount: 0,
      idle: [],
      waiting: [],
      isSilent: false,
    };
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
      if (connection.isUsable && nowMs < connection.usedUntilMs) return connection;
      connection.destroy();
    }
  }

  /** Of the next connection that is made. */
  nextLifeMs(): number {
    this.#lives += 1;
    return LONGEST_LIFE_MS - ((this.#lives * GOLDEN_RATIO) % 1) * (LONGEST_LIFE_MS - SHORTEST_LIFE_MS);
  }

  /** Takes a slot for a new connection; every true is answered by `noteDialled` or `giveUp`. */
  takeSlot(origin: Origin, isUrgent = false): boolean {
    if (!this.#mayBegin(origin, isUrgent)) return false;
    if (this.openCount >= this.#maxConnections && !this.#closeOldestIdle()) return false;
    origin.openCount += 1;
    origin.diallingCount += 1;
    this.openCount += 1;
    this.#pause(this.#laneOf(origin, isUrgent));
    return true;
  }

  /** The connection is there; it ends with `drop`. Where one could be made, more of those who wait may try. */
  noteDialled(origin: Origin): void {
    origin.diallingCount -= 1;
    if (this.#maySeeTo(origin)) this.#wakeOne(origin);
  }

  giveUp(origin: Origin): void {
    origin.diallingCount -= 1;
    this.#freeSlot(origin);
  }

  wait(origin: Origin, waiter: Waiter): void {
    if (waiter.isUrgent) origin.waiting.unshift(waiter);
    else origin.waiting.push(waiter);
    this.#waitingOrigins.add(origin);
  }

  giveBack(origin: Origin, connection: Connection): void {
    origin.idle.push(connection);
    this.#idle.add(connection);
    if (origin.waiting.length > 0) this.#wakeOne(origin);
  }

  drop(origin: Origin, connection: Connection): void {
    this.#idle.delete(connection);
    const index = origin.idle.indexOf(connection);
    if (index >= 0) origin.idle.splice(index, 1);
    this.#freeSlot(origin);
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

  #freeSlot(origin: Origin): void {
    origin.openCount -= 1;
    this.openCount -= 1;
    // The slot may be what another origin lacks.
    if (this.#waitingOrigins.size > 0 && !(this.#maySeeTo(origin) && this.#wakeOne(origin))) this.#wakeNext();
  }

  #laneOf(origin: Origin, isUrgent: boolean): Lane {
    return origin.isSilent && !isUrgent ? this.#silentLane : this.#lane;
  }

  #mayBegin(origin: Origin, isUrgent: boolean): boolean {
    if (this.#laneOf(origin, isUrgent).isPausing || origin.openCount >= this.#maxPerOrigin) return false;
    // The first shows whether it is worth trying; then twice as many each time.
    const madeCount = origin.openCount - origin.diallingCount;
    return isUrgent || origin.isSilent || origin.diallingCount < Math.max(1, madeCount);
  }

  /** Whether whoever waits longest there may begin. */
  #maySeeTo(origin: Origin, lane?: Lane): boolean {
    const [first] = origin.waiting;
    if (first === undefined || (lane !== undefined && this.#laneOf(origin, first.isUrgent) !== lane)) return false;
    return this.#mayBegin(origin, first.isUrgent);
  }

  #pause(lane: Lane): void {
    lane.isPausing = true;
    setTimeout(() => {
      lane.isPausing = false;
      const hadToWait = this.#wakeNext(lane);
      lane.inARow = hadToWait ? lane.inARow + 1 : 0;
      // With a connection that had become idle, perhaps; the others still want a new one.
      if (hadToWait && !lane.isPausing) this.#pause(lane);
    }, this.#pauseMsOf(lane));
  }

  #pauseMsOf(lane: Lane): number {
    if (lane === this.#lane) return lane.inARow < MANY_IN_A_ROW ? PAUSE_MS : SHORT_PAUSE_MS;
    return Math.max(PAUSE_MS, Math.min(PAUSE_IN_VAIN_MS, LONGEST_TURN_MS / this.#waitingOrigins.size));
  }

  /** Origins take turns, those of one lane or all: whoever was served goes to the end. */
  #wakeNext(lane?: Lane): boolean {
    for (const origin of this.#waitingOrigins) {
      if (!this.#maySeeTo(origin, lane)) continue;
      this.#waitingOrigins.delete(origin);
      if (origin.waiting.length > 1) this.#waitingOrigins.add(origin);
      if (this.#wakeOne(origin)) return true;
    }
    return false;
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
