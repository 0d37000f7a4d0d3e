// What one endpoint has to get from this node. Deliveries of one order form a lane: one at a time, first attempts in
// the order of their events. Lanes take turns, and how many are under way at once follows how well the endpoint answers.
//
// Two things are known of an endpoint beside its deliveries. Its phase says how its last attempts went (`adapt`):
//
// - `working`: it gets two or more at once. Every endpoint starts here, and each success leads back here.
// - `failing`: failures have halved that to one probe at a time, and the last of them got an answer.
// - `silent`: the same, but the last probe got no answer at all, so nothing of it is urgent.
//
// Its backlog says what else is due in the database:
//
// - `none`: nothing, as far as is known.
// - `overflow`: something was committed or claimed that had no room here. It is to be claimed when there is room.
// - `more`: the last claim took as much as it could, so the endpoint is catching up. The rest is to be claimed when
//   there is room.
// - `requested`: the endpoint is catching up, and the next claim is under way or soon will be.
//
// `noteOverflow` leads from `none` to `overflow`, and from `requested` to `more`; `noteClaimRequested` leads back. A
// claim that took as much as it could leads to `more` from everywhere. One that left something out ends the catching up:
// it leads from `requested` to `none`, and from `more` to `overflow`, because what had no room may still be there.
import type { Delivery } from '../../store/webhooks/deliveries.ts';
import type { AttemptOutcome } from '../client/attempt-outcome.ts';

type Phase = 'working' | 'failing' | 'silent';
type Backlog = 'none' | 'overflow' | 'more' | 'requested';

interface Lane {
  isBusy: boolean;
  /** In the order in which they leave. */
  waiting: Delivery[];
}

export const MOST_AT_ONCE = 64;
/** Before anything is known: each attempt at one that is down costs a handshake. A round of answers doubles it. */
export const FIRST_AT_ONCE = 2;
// What it will not get soon stays in the database: should the endpoint fail, all that is here has to go back there.
const LEAST_HERE = 64;
const MOST_HERE_WHILE_FAILING = 2;
// A claim fetches what the endpoint gets in so long. Thousands that wait here for longer are moved about in memory with
// each collection of garbage, and everybody's webhooks wait for that.
const CLAIMED_AHEAD_MS = 1_000;
/** How long answers take is the mean of about so many. */
const ANSWERS_REMEMBERED = 8;

export class EndpointQueue {
  readonly key: string;
  #lanes = new Map<string, Lane>();
  /** Lanes with something to send and nothing under way; taken from `#readyHead` on. */
  #ready: Lane[] = [];
  #readyHead = 0;
  #size = 0;
  #inFlight = 0;
  /** Of those, how many have been under way for longer than answers usually take. */
  #slowCount = 0;
  #limit = FIRST_AT_ONCE;
  /** How long an answer takes, as of late; 0 before anything is known. */
  #answerMs = 0;
  #phase: Phase = 'working';
  #backlog: Backlog = 'none';

  constructor(key: string) {
    this.key = key;
  }

  /** Waiting and under way. */
  get size(): number {
    return this.#size;
  }

  /** How large that may become: no larger than what it leaves free, so that however many have much to get, some is left. */
  roomIn(free = Infinity): number {
    // The better it answers the longer the queue that is soon gone: up to 8,192 while it gets 64 at once.
    const most = this.isFailing ? MOST_HERE_WHILE_FAILING : Math.max(LEAST_HERE, 2 * this.#limit ** 2);
    return Math.min(most, free);
  }

  /**
   * And how much of it a claim may fetch: what it gets soon, and before it answers well, no more than it is sent at once.
   * What is read from the database for an endpoint that has died is read in vain, and the others wait meanwhile.
   */
  claimRoomIn(free = Infinity): number {
    const trusted = (2 * this.#limit ** 3) / MOST_AT_ONCE;
    const soonGone = (this.#limit * CLAIMED_AHEAD_MS) / this.#answerMs;
    return Math.min(Math.max(this.#limit, Math.floor(Math.min(trusted, soonGone))), free);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get isFailing(): boolean {
    return this.#phase !== 'working';
  }

  get isSilent(): boolean {
    return this.#phase === 'silent';
  }

  /** More is due than had room here, and no claim was requested for it yet. */
  get hasUnclaimed(): boolean {
    return this.#backlog === 'overflow' || this.#backlog === 'more';
  }

  get isCatchingUp(): boolean {
    return this.#backlog === 'more' || this.#backlog === 'requested';
  }

  get canStart(): boolean {
    return this.#inFlight < this.#limit && this.#slowCount === 0 && this.#readyHead < this.#ready.length;
  }

  add(delivery: Delivery): void {
    let lane = this.#lanes.get(delivery.orderId);
    if (lane === undefined) {
      lane = { isBusy: false, waiting: [] };
      this.#lanes.set(delivery.orderId, lane);
    }
    insertInTurn(lane.waiting, delivery);
    this.#size += 1;
    if (!lane.isBusy && lane.waiting.length === 1) this.#ready.push(lane);
  }

  /** The next delivery to send; to be given back with `finish`. */
  take(): Delivery | undefined {
    if (!this.canStart) return undefined;
    const lane = this.#ready[this.#readyHead];
    this.#readyHead += 1;
    if (this.#readyHead > 64 && this.#readyHead * 2 > this.#ready.length) {
      this.#ready = this.#ready.slice(this.#readyHead);
      this.#readyHead = 0;
    }
    const delivery = lane?.waiting.shift();
    if (lane === undefined || delivery === undefined) throw new Error('a lane without deliveries was ready');
    lane.isBusy = true;
    this.#inFlight += 1;
    return delivery;
  }

  /** Something under way is not back yet: until it is, nothing more is started. */
  noteSlow(): void {
    this.#slowCount += 1;
  }

  finish(delivery: Delivery, wasSlow = false): void {
    const lane = this.#lanes.get(delivery.orderId);
    if (lane === undefined) throw new Error('a delivery was finished in a lane that does not exist');
    lane.isBusy = false;
    this.#size -= 1;
    this.#inFlight -= 1;
    if (wasSlow) this.#slowCount -= 1;
    if (lane.waiting.length > 0) this.#ready.push(lane);
    else this.#lanes.delete(delivery.orderId);
  }

  /** Grows by one for each success, halves for each failure: an endpoint that is down is left with one probe at a time. */
  adapt({ ok, status, totalMs }: Pick<AttemptOutcome, 'ok' | 'status' | 'totalMs'>): void {
    this.#answerMs += (totalMs - this.#answerMs) / ANSWERS_REMEMBERED;
    this.#limit = ok ? Math.min(MOST_AT_ONCE, this.#limit + 1) : Math.max(1, this.#limit >> 1);
    if (this.#limit > 1) this.#phase = 'working';
    else this.#phase = status === null ? 'silent' : 'failing';
  }

  /** More is due than has room here. */
  noteOverflow(): void {
    if (this.#backlog === 'none') this.#backlog = 'overflow';
    else if (this.#backlog === 'requested') this.#backlog = 'more';
  }

  noteClaimRequested(): void {
    if (this.#backlog === 'overflow') this.#backlog = 'none';
    else if (this.#backlog === 'more') this.#backlog = 'requested';
  }

  /** A claim has given it as much as it could, or it has left something of its share unused. */
  noteClaimed(tookAllItCould: boolean): void {
    if (tookAllItCould) this.#backlog = 'more';
    else if (this.#backlog === 'more') this.#backlog = 'overflow';
    else if (this.#backlog === 'requested') this.#backlog = 'none';
  }

  /** Takes out what waits behind a delivery that is under way. */
  drainBehind(delivery: Delivery): Delivery[] {
    const lane = this.#lanes.get(delivery.orderId);
    const drained = lane?.waiting.splice(0) ?? [];
    this.#size -= drained.length;
    return drained;
  }

  /** Takes out everything that is not under way. */
  drain(): Delivery[] {
    const drained: Delivery[] = [];
    for (const [orderId, lane] of this.#lanes) {
      drained.push(...lane.waiting);
      lane.waiting = [];
      if (!lane.isBusy) this.#lanes.delete(orderId);
    }
    this.#ready = [];
    this.#readyHead = 0;
    this.#size -= drained.length;
    return drained;
  }
}

function insertInTurn(waiting: Delivery[], delivery: Delivery): void {
  let index = waiting.length;
  while (index > 0 && leavesBefore(delivery, waiting[index - 1])) index -= 1;
  waiting.splice(index, 0, delivery);
}

/** First attempts leave in the order of events. What failed before follows, newest state first: it is what counts. */
function leavesBefore(delivery: Delivery, other: Delivery | undefined): boolean {
  if (other === undefined) return false;
  const isFirst = delivery.attempts === 0;
  if (isFirst !== (other.attempts === 0)) return isFirst;
  return isFirst ? delivery.version < other.version : delivery.version > other.version;
}
