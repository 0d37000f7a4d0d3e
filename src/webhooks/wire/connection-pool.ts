// Manages the connections: how many there are, which are idle, and which requests wait for one. Independent of HTTP.
//
// Connections belong to an origin (host and port), turns to a tenant's share of it. A free slot or an idle connection
// goes to the next share in turn, so a tenant waits for at most one request of each other tenant. A share whose last
// attempt got no answer is silent: its new connections are spaced out, and it leaves idle ones to the others.
import type { Clock } from '../../platform.ts';
import type { Connection } from './connection.ts';
import type { Destination } from '../dial/connect.ts';
import { Origins, type Origin, type Share, type Waiter } from './origins.ts';

/**
 * Bounds how long a connection can outlive a DNS change or a new certificate. Lifetimes vary, because connections that
 * were opened together, for example after a start, must not all be replaced at the same time.
 */
const MAX_LIFE_MS = 60_000;
const MIN_LIFE_MS = 40_000;
/** The fractional parts of its multiples are spread evenly between 0 and 1, however many there are. */
const GOLDEN_RATIO = 0.618_033_988_75;
const MAX_CONNECTIONS = 2048;
const DEFAULT_MAX_PER_ORIGIN = 64;
/** A request that has waited this long for an answer no longer counts toward that limit: it must not block others. */
const HANGING_AFTER_MS = 1_000;
const HANGING_CHECK_MS = 250;
/**
 * Between two dials. A handshake takes about 1.5 ms of the only thread: when hundreds of endpoints need one at the
 * same moment, endpoints that are already connected must not wait for all of them.
 */
const PAUSE_MS = 5;
/** After this many waits in a row, demand exceeds what that pause allows, and keeping the queue short matters more. */
const MANY_IN_A_ROW = 20;
const SHORT_PAUSE_MS = 2;
/**
 * Between two dials to endpoints that did not answer last time; most of these fail. The pause shrinks when so many wait
 * that a recovered endpoint would get its turn only after a minute, which is the first retry delay.
 */
const UNREACHABLE_PAUSE_MS = 500;
const MAX_TURN_MS = 60_000;

/** Dials to silent endpoints start one after another, and so do dials to all others. */
interface Lane {
  isPausing: boolean;
  /** How many dials in a row had to wait for their turn. */
  inARow: number;
}

export interface ConnectionPoolOptions {
  clock: Pick<Clock, 'monotonicMs'>;
  maxPerOrigin?: number | undefined;
  maxConnections?: number | undefined;
}

export class ConnectionPool {
  openCount = 0;
  readonly #clock: ConnectionPoolOptions['clock'];
  readonly #maxPerOrigin: number;
  readonly #maxConnections: number;
  readonly #origins = new Origins();
  /** Oldest first. */
  readonly #idle = new Set<Connection>();
  /** Of all origins, in the order of their turns. */
  readonly #waitingShares = new Set<Share>();
  readonly #lane: Lane = { isPausing: false, inARow: 0 };
  readonly #silentLane: Lane = { isPausing: false, inARow: 0 };
  #lives = 0;

  constructor(options: ConnectionPoolOptions) {
    this.#clock = options.clock;
    this.#maxPerOrigin = options.maxPerOrigin ?? DEFAULT_MAX_PER_ORIGIN;
    this.#maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
  }

  shareOf(to: Destination, tenant: string): Share {
    return this.#origins.shareOf(to, tenant);
  }

  forgetUnused(): void {
    this.#origins.forgetUnused();
  }

  /** Takes an idle connection for a request, which ends its use with `leave`. */
  takeIdle(share: Share, user: Waiter): Connection | undefined {
    const { origin } = share;
    // Requests of a silent share mostly hang, and a connection that hangs is lost for other shares.
    if (share.isSilent && origin.openCount < this.#maxPerOrigin) return undefined;
    const nowMs = this.#clock.monotonicMs();
    for (;;) {
      const connection = origin.idle.pop();
      if (connection === undefined) return undefined;
      this.#idle.delete(connection);
      if (connection.isUsable && nowMs < connection.usedUntilMs) {
        this.#beginUse(share, user);
        return connection;
      }
      connection.destroy();
    }
  }

  /** The lifetime of the next connection. */
  nextLifeMs(): number {
    this.#lives += 1;
    return MAX_LIFE_MS - ((this.#lives * GOLDEN_RATIO) % 1) * (MAX_LIFE_MS - MIN_LIFE_MS);
  }

  /** Takes a slot for a new connection. After true, the caller must call `noteDialed` or `giveUp`, and `leave`. */
  takeSlot(share: Share, user: Waiter): boolean {
    if (!this.#mayBegin(share, user.isUrgent)) return false;
    if (this.openCount >= this.#maxConnections && !this.#closeOldestIdle()) return false;
    share.origin.openCount += 1;
    share.origin.dialingCount += 1;
    this.openCount += 1;
    this.#beginUse(share, user);
    this.#pause(this.#laneOf(share, user.isUrgent));
    this.#watchHanging(share.origin);
    return true;
  }

  #beginUse(share: Share, user: Waiter): void {
    share.useCount += 1;
    share.origin.uses.set(user, this.#clock.monotonicMs());
  }

  /** The request no longer needs its connection or slot. */
  leave(share: Share, user: Waiter): void {
    if (share.origin.uses.delete(user)) share.useCount -= 1;
  }

  /** The connection is open and ends with `drop`. Its success lets more waiting requests dial the origin. */
  noteDialed(origin: Origin): void {
    origin.isUnreachable = false;
    origin.dialingCount -= 1;
    this.#wakeOneFor(origin);
  }

  giveUp(origin: Origin): void {
    origin.dialingCount -= 1;
    this.#freeSlot(origin);
  }

  wait(share: Share, waiter: Waiter): void {
    const { origin } = share;
    if (waiter.isUrgent) {
      share.waiting.unshift(waiter);
      origin.waiting = new Set([share, ...origin.waiting]);
    } else {
      share.waiting.push(waiter);
      origin.waiting.add(share);
    }
    this.#waitingShares.add(share);
    this.#watchHanging(origin);
  }

  giveBack(origin: Origin, connection: Connection): void {
    origin.idle.push(connection);
    this.#idle.add(connection);
    for (const share of origin.waiting) if (!share.isSilent && this.#wakeShare(share)) return;
    this.#wakeOneFor(origin);
  }

  drop(origin: Origin, connection: Connection): void {
    this.#idle.delete(connection);
    const index = origin.idle.indexOf(connection);
    if (index >= 0) origin.idle.splice(index, 1);
    this.#freeSlot(origin);
  }

  /** For shutdown: gives every waiter its turn immediately. Attempts that have not started will get no connection. */
  releaseWaiters(): void {
    const waiters = [...this.#waitingShares].flatMap((share) => share.waiting.splice(0));
    for (const { origin } of this.#waitingShares) origin.waiting.clear();
    this.#waitingShares.clear();
    // Attempts that have already started may wait again.
    for (const waiter of waiters) waiter.onTurn();
  }

  closeIdle(): void {
    for (const connection of this.#idle) connection.destroy();
  }

  #closeOldestIdle(): boolean {
    for (const connection of this.#idle) {
      // The slot is freed only when the socket closes, shortly after this; until then the limit may be exceeded by one.
      this.#idle.delete(connection);
      connection.destroy();
      return true;
    }
    return false;
  }

  #freeSlot(origin: Origin): void {
    origin.openCount -= 1;
    this.openCount -= 1;
    // Another origin may be waiting for the slot.
    if (!this.#wakeOneFor(origin)) this.#wakeNext();
  }

  #laneOf({ origin, isSilent }: Share, isUrgent: boolean): Lane {
    return (isSilent || origin.isUnreachable) && !isUrgent ? this.#silentLane : this.#lane;
  }

  #mayBegin(share: Share, isUrgent: boolean): boolean {
    const { origin } = share;
    const lane = this.#laneOf(share, isUrgent);
    if (lane.isPausing || this.#isFull(share)) return false;
    // The first connection shows whether the origin is reachable; then the number may double each time.
    const madeCount = origin.openCount - origin.dialingCount;
    return isUrgent || lane === this.#silentLane || origin.dialingCount < Math.max(1, madeCount);
  }

  #isFull({ origin, useCount }: Share): boolean {
    if (origin.openCount < this.#maxPerOrigin) return false;
    // When others use all connections, each tenant without one may open one more, up to twice the limit in total.
    const isLeftOut = useCount === 0 && origin.uses.size >= this.#maxPerOrigin;
    if (isLeftOut && origin.openCount < 2 * this.#maxPerOrigin) return false;
    return origin.openCount - this.#countHanging(origin) >= this.#maxPerOrigin;
  }

  #countHanging({ uses }: Origin): number {
    const sinceMs = this.#clock.monotonicMs() - HANGING_AFTER_MS;
    let count = 0;
    for (const beganMs of uses.values()) {
      if (beganMs > sinceMs) break;
      count += 1;
    }
    return count;
  }

  /** Checked by a timer, because no event fires when a request starts to count as hanging. */
  #watchHanging(origin: Origin): void {
    if (origin.waiting.size === 0 || origin.openCount < this.#maxPerOrigin) return;
    origin.hangingTimer ??= setTimeout(() => {
      origin.hangingTimer = undefined;
      this.#wakeOneFor(origin);
      this.#watchHanging(origin);
    }, HANGING_CHECK_MS);
  }

  /** Whether the share's longest-waiting request may begin. */
  #maySeeTo(share: Share, lane?: Lane): boolean {
    const [first] = share.waiting;
    if (first === undefined || (lane !== undefined && this.#laneOf(share, first.isUrgent) !== lane)) return false;
    return this.#mayBegin(share, first.isUrgent);
  }

  #pause(lane: Lane): void {
    lane.isPausing = true;
    setTimeout(() => {
      lane.isPausing = false;
      const hadToWait = this.#wakeNext(lane);
      lane.inARow = hadToWait ? lane.inARow + 1 : 0;
      // The woken request may have used an idle connection; the others still need a new one.
      if (hadToWait && !lane.isPausing) this.#pause(lane);
    }, this.#pauseMsOf(lane));
  }

  #pauseMsOf(lane: Lane): number {
    if (lane === this.#lane) return lane.inARow < MANY_IN_A_ROW ? PAUSE_MS : SHORT_PAUSE_MS;
    return Math.max(PAUSE_MS, Math.min(UNREACHABLE_PAUSE_MS, MAX_TURN_MS / this.#waitingShares.size));
  }

  /** Wakes the next request that may dial, in one lane or in all. */
  #wakeNext(lane?: Lane): boolean {
    for (const share of this.#waitingShares) if (this.#maySeeTo(share, lane) && this.#wakeShare(share)) return true;
    return false;
  }

  /** Wakes the next request that may dial this origin. */
  #wakeOneFor(origin: Origin): boolean {
    for (const share of origin.waiting) if (this.#maySeeTo(share) && this.#wakeShare(share)) return true;
    return false;
  }

  /** Shares take turns: one that was served goes to the end. */
  #wakeShare(share: Share): boolean {
    const { origin, waiting } = share;
    for (;;) {
      origin.waiting.delete(share);
      this.#waitingShares.delete(share);
      const waiter = waiting.shift();
      if (waiter === undefined) return false;
      if (waiting.length > 0) {
        origin.waiting.add(share);
        this.#waitingShares.add(share);
      }
      if (waiter.onTurn()) return true;
    }
  }
}
