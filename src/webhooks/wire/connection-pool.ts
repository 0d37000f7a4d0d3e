// How many connections there are, which of them are idle, and who waits for one. Knows nothing of HTTP.
//
// Connections belong to an origin (host and port), turns to a tenant's share of it. A free slot or an idle connection
// goes to the next share in turn, so a tenant waits for at most one request of each other tenant. A share whose last
// attempt got no answer is silent: its new connections are spaced out, and it leaves idle ones to the others.
import type { Clock } from '../../platform.ts';
import type { Connection } from './connection.ts';
import type { Destination } from '../dial/connect.ts';
import { Origins, type Origin, type Share, type Waiter } from './origins.ts';

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
/** A request without an answer for this long no longer counts toward that limit: it must not keep other tenants out. */
const HANGING_AFTER_MS = 1_000;
const HANGING_CHECK_MS = 250;
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

/** New connections to endpoints that are silent, and those to all others, begin one after another. */
interface Lane {
  isPausing: boolean;
  /** How many had to wait, one after another, until somebody found it free. */
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

  /** An idle connection for a request, which ends its use with `leave`. */
  takeIdle(share: Share, user: Waiter): Connection | undefined {
    const { origin } = share;
    // Requests of a silent share mostly hang, and a connection that hangs is lost to those who would reuse it.
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

  /** Of the next connection that is made. */
  nextLifeMs(): number {
    this.#lives += 1;
    return LONGEST_LIFE_MS - ((this.#lives * GOLDEN_RATIO) % 1) * (LONGEST_LIFE_MS - SHORTEST_LIFE_MS);
  }

  /** Takes a slot for a new connection; every true is answered by `noteDialled` or `giveUp`, and by `leave`. */
  takeSlot(share: Share, user: Waiter): boolean {
    if (!this.#mayBegin(share, user.isUrgent)) return false;
    if (this.openCount >= this.#maxConnections && !this.#closeOldestIdle()) return false;
    share.origin.openCount += 1;
    share.origin.diallingCount += 1;
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

  /** The request no longer needs the connection or the slot that it had. */
  leave(share: Share, user: Waiter): void {
    if (share.origin.uses.delete(user)) share.useCount -= 1;
  }

  /** The connection is there; it ends with `drop`. Where one could be made, more of those who wait may try. */
  noteDialled(origin: Origin): void {
    origin.isUnreachable = false;
    origin.diallingCount -= 1;
    this.#wakeOneFor(origin);
  }

  giveUp(origin: Origin): void {
    origin.diallingCount -= 1;
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

  /** Gives every waiter its turn at once, for the end of the service: none that has not begun will get a connection. */
  releaseWaiters(): void {
    const waiters = [...this.#waitingShares].flatMap((share) => share.waiting.splice(0));
    for (const { origin } of this.#waitingShares) origin.waiting.clear();
    this.#waitingShares.clear();
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
    if (!this.#wakeOneFor(origin)) this.#wakeNext();
  }

  #laneOf({ origin, isSilent }: Share, isUrgent: boolean): Lane {
    return (isSilent || origin.isUnreachable) && !isUrgent ? this.#silentLane : this.#lane;
  }

  #mayBegin(share: Share, isUrgent: boolean): boolean {
    const { origin } = share;
    const lane = this.#laneOf(share, isUrgent);
    if (lane.isPausing || this.#isFull(share)) return false;
    // The first shows whether it is worth trying; then twice as many each time.
    const madeCount = origin.openCount - origin.diallingCount;
    return isUrgent || lane === this.#silentLane || origin.diallingCount < Math.max(1, madeCount);
  }

  #isFull({ origin, useCount }: Share): boolean {
    if (origin.openCount < this.#maxPerOrigin) return false;
    // All of them busy for others: one more for each tenant that has none, up to twice as many in all.
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

  /** That a request hangs is no event which would wake those who wait for its place. */
  #watchHanging(origin: Origin): void {
    if (origin.waiting.size === 0 || origin.openCount < this.#maxPerOrigin) return;
    origin.hangingTimer ??= setTimeout(() => {
      origin.hangingTimer = undefined;
      this.#wakeOneFor(origin);
      this.#watchHanging(origin);
    }, HANGING_CHECK_MS);
  }

  /** Whether whoever waits longest there may begin. */
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
      // With a connection that had become idle, perhaps; the others still want a new one.
      if (hadToWait && !lane.isPausing) this.#pause(lane);
    }, this.#pauseMsOf(lane));
  }

  #pauseMsOf(lane: Lane): number {
    if (lane === this.#lane) return lane.inARow < MANY_IN_A_ROW ? PAUSE_MS : SHORT_PAUSE_MS;
    return Math.max(PAUSE_MS, Math.min(PAUSE_IN_VAIN_MS, LONGEST_TURN_MS / this.#waitingShares.size));
  }

  /** Whoever is next for a new connection, in one lane or in all. */
  #wakeNext(lane?: Lane): boolean {
    for (const share of this.#waitingShares) if (this.#maySeeTo(share, lane) && this.#wakeShare(share)) return true;
    return false;
  }

  /** Whoever is next for a new connection to this origin. */
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
