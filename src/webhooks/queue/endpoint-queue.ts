// One endpoint's deliveries on this node. Deliveries of one order form a lane: one at a time, first attempts in event
// order. Lanes take turns. How many run concurrently depends on how well the endpoint answers.
//
// Besides its deliveries, a queue tracks two things about the endpoint. The phase says how its last attempts went
// (`adapt`):
//
// - `working`: two or more concurrent attempts. Every endpoint starts here, and each success leads back here.
// - `failing`: failures have halved the limit to one probe at a time, and the last probe got an answer.
// - `silent`: like `failing`, but the last probe got no answer at all, so none of its deliveries are urgent.
//
// The backlog says what else is due in the database:
//
// - `none`: nothing known.
// - `overflow`: a commit or a claim had deliveries that did not fit here. Claim them when there is room.
// - `more`: the last claim took all it could, so the endpoint is catching up. Claim the rest when there is room.
// - `requested`: the endpoint is catching up, and the next claim is running or requested.
//
// `noteOverflow` moves `none` to `overflow` and `requested` to `more`; `noteClaimRequested` moves back. A claim that
// took all it could moves any state to `more`. A claim that left room unused ends the catching up: it moves `requested`
// to `none`, and `more` to `overflow`, because the deliveries that did not fit may still be due.
import type { Delivery } from '../../store/webhooks/deliveries.ts';
import type { AttemptOutcome } from '../client/attempt-outcome.ts';

type Phase = 'working' | 'failing' | 'silent';
type Backlog = 'none' | 'overflow' | 'more' | 'requested';

interface Lane {
  isBusy: boolean;
  /** In sending order. */
  waiting: Delivery[];
}

export const MAX_CONCURRENT = 64;
/** The initial limit: each attempt at an endpoint that is down costs a handshake. A round of successes doubles it. */
export const INITIAL_CONCURRENT = 2;
// Deliveries that cannot be sent soon stay in the database: if the endpoint fails, all those here must go back there.
const MIN_HELD = 64;
const MAX_HELD_WHILE_FAILING = 2;
// A claim fetches what the endpoint can receive within this time. Thousands of deliveries that wait longer get moved by
// every garbage collection, which delays all webhooks.
const CLAIMED_AHEAD_MS = 1_000;
/** Answer times are averaged over about this many answers. */
const ANSWERS_REMEMBERED = 8;

export class EndpointQueue {
  readonly key: string;
  #lanes = new Map<string, Lane>();
  /** Lanes with something to send and nothing in flight; taken from `#readyHead` on. */
  #ready: Lane[] = [];
  #readyHead = 0;
  #size = 0;
  #inFlight = 0;
  /** How many of those have been in flight for longer than answers usually take. */
  #slowCount = 0;
  #limit = INITIAL_CONCURRENT;
  /** Recent mean answer time; 0 before the first answer. */
  #answerMs = 0;
  #phase: Phase = 'working';
  #backlog: Backlog = 'none';

  constructor(key: string) {
    this.key = key;
  }

  /** Waiting and in flight. */
  get size(): number {
    return this.#size;
  }

  /** The largest allowed `size`, capped by the free room, so that many backlogged endpoints leave some. */
  roomIn(free = Infinity): number {
    // The better an endpoint answers, the longer a queue it can empty soon: up to 8,192 at 64 concurrent attempts.
    const most = this.isFailing ? MAX_HELD_WHILE_FAILING : Math.max(MIN_HELD, 2 * this.#limit ** 2);
    return Math.min(most, free);
  }

  /**
   * How much of that room one claim may fill: what the endpoint can receive soon, and no more than its limit until it
   * has answered well. Reading deliveries for an endpoint that has died is wasted, and delays all others.
   */
  claimRoomIn(free = Infinity): number {
    const trusted = (2 * this.#limit ** 3) / MAX_CONCURRENT;
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

  /** More is due than fit here, and no claim has been requested for it yet. */
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

  /** The next delivery to send; end it with `finish`. */
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

  /** An attempt in flight is overdue. No other starts until it has ended. */
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

  /** Each success adds one to the limit, each failure halves it: an endpoint that is down gets one probe at a time. */
  adapt({ ok, status, totalMs }: Pick<AttemptOutcome, 'ok' | 'status' | 'totalMs'>): void {
    this.#answerMs += (totalMs - this.#answerMs) / ANSWERS_REMEMBERED;
    this.#limit = ok ? Math.min(MAX_CONCURRENT, this.#limit + 1) : Math.max(1, this.#limit >> 1);
    if (this.#limit > 1) this.#phase = 'working';
    else this.#phase = status === null ? 'silent' : 'failing';
  }

  /** More is due than fits here. */
  noteOverflow(): void {
    if (this.#backlog === 'none') this.#backlog = 'overflow';
    else if (this.#backlog === 'requested') this.#backlog = 'more';
  }

  noteClaimRequested(): void {
    if (this.#backlog === 'overflow') this.#backlog = 'none';
    else if (this.#backlog === 'more') this.#backlog = 'requested';
  }

  /** Whether the last claim took all it could for this endpoint, or left some of its room unused. */
  noteClaimed(tookAllItCould: boolean): void {
    if (tookAllItCould) this.#backlog = 'more';
    else if (this.#backlog === 'more') this.#backlog = 'overflow';
    else if (this.#backlog === 'requested') this.#backlog = 'none';
  }

  /** Removes the deliveries that wait behind one in flight. */
  drainBehind(delivery: Delivery): Delivery[] {
    const lane = this.#lanes.get(delivery.orderId);
    const drained = lane?.waiting.splice(0) ?? [];
    this.#size -= drained.length;
    return drained;
  }

  /** Removes all deliveries that are not in flight. */
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

/** First attempts go first, in event order. Retries follow, newest state first, because the newest matters most. */
function leavesBefore(delivery: Delivery, other: Delivery | undefined): boolean {
  if (other === undefined) return false;
  const isFirst = delivery.attempts === 0;
  if (isFirst !== (other.attempts === 0)) return isFirst;
  return isFirst ? delivery.version < other.version : delivery.version > other.version;
}
