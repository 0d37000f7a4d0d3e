// The webhook problems that an order in the test environment requests: a duplicate, a copy much later, a copy after a
// newer event. Each is an additional copy of a delivered event, sent by the ordinary resend. The first copy of every
// event is sent immediately and in order, as usual.
//
// The number of sent copies comes from the attempt log, so no other state is needed. The list of watched orders is only
// a cache that the next start rebuilds.
import { testScript, type TestScript } from '../contract/integrator/orders/test-script.ts';
import { isFinal } from '../domain/orders/order.ts';
import { HOUR_MS, SECOND_MS, type Instant } from '../domain/time.ts';
import type { Platform } from '../platform.ts';
import type { Database } from '../store/database/database.ts';
import { resendDelivery } from '../store/webhooks/delivery-log.ts';
import { lockOrders } from '../store/orders/locked-orders.ts';
import { listEventCopies, listTroubledOrders, lowestIdAt, type EventCopies } from '../store/robots/webhook-copies.ts';
import { everyMs, type Worker } from '../runtime/supervisor.ts';

type Trouble = NonNullable<TestScript['webhook']>;
type Deps = Pick<Platform, 'clock' | 'log'> & { db: Database };

const ROUND_INTERVAL_MS = 250;
const PAGE_SIZE = 1_000;
/** At real speed an order takes less than an hour, and its last copy follows at most an hour later. */
const MAX_WATCH_MS = 6 * HOUR_MS;
/** An id is generated before its order is committed. This overlap finds orders that are committed late. */
const LATEST_COMMIT_MS = 15 * SECOND_MS;

export class WebhookTrouble {
  #deps: Deps;
  #watched = new Map<string, Trouble>();
  #settled = new Set<string>();
  #cursor: string;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#cursor = lowestIdAt(deps.clock.now() - MAX_WATCH_MS);
  }

  worker(): Worker {
    return everyMs('webhook trouble', ROUND_INTERVAL_MS, { log: this.#deps.log, round: () => this.playRound() });
  }

  /** Sends the copies that are due; returns how many. */
  async playRound(): Promise<number> {
    await this.#findNewOrders();
    this.#forgetOldOrders();
    if (this.#watched.size === 0) return 0;
    const copies = await listEventCopies(this.#deps.db, [...this.#watched.keys()]);
    const byOrder = Map.groupBy(copies, (event) => event.orderId);
    let sent = 0;
    for (const [orderId, events] of byOrder) {
      const state = judgeCopies(events, this.#watched.get(orderId) ?? {}, this.#deps.clock.now());
      if (state.due.length > 0) sent += await this.#sendDue(orderId);
      if (state.isSettled) this.#settle(orderId);
    }
    return sent;
  }

  // Checked again under the order's lock, because another node may have sent the copy in the meantime.
  #sendDue(orderId: string): Promise<number> {
    return this.#deps.db.transaction(async (tx) => {
      await lockOrders(tx, [orderId]);
      const now = this.#deps.clock.now();
      const { due } = judgeCopies(await listEventCopies(tx, [orderId]), this.#watched.get(orderId) ?? {}, now);
      for (const eventId of due) await resendDelivery(tx, { eventId, restaurantId: null, now });
      return due.length;
    });
  }

  async #findNewOrders(): Promise<void> {
    let isLast = false;
    while (!isLast) {
      const page = await listTroubledOrders(this.#deps.db, { afterId: this.#cursor, limit: PAGE_SIZE });
      for (const { id, trouble } of page.troubled) {
        const reading = testScript.shape.webhook.safeParse(trouble);
        if (reading.success && reading.data !== undefined && !this.#settled.has(id))
          this.#watched.set(id, reading.data);
      }
      isLast = page.isLast;
      this.#cursor = page.lastId;
    }
    const overlap = lowestIdAt(this.#deps.clock.now() - LATEST_COMMIT_MS);
    if (overlap < this.#cursor) this.#cursor = overlap;
  }

  #settle(orderId: string): void {
    this.#watched.delete(orderId);
    this.#settled.add(orderId);
  }

  #forgetOldOrders(): void {
    const oldest = lowestIdAt(this.#deps.clock.now() - MAX_WATCH_MS);
    for (const id of this.#watched.keys()) if (id < oldest) this.#watched.delete(id);
    for (const id of this.#settled) if (id < this.#cursor) this.#settled.delete(id);
  }
}

/** Which events of one order must be sent again now, and whether no more copies will follow. */
export function judgeCopies(
  events: readonly EventCopies[],
  trouble: Trouble,
  now: Instant,
): { due: string[]; isSettled: boolean } {
  const isOver = events.some((event) => isFinal(event.to));
  const due: string[] = [];
  let isSettled = isOver;
  for (const event of events) {
    const wanted = copyTimes(event, events, trouble);
    const made = event.delivered - 1;
    if (made < wanted.length || event.delivered === 0) isSettled = false;
    const isWanting = made >= 0 && made < wanted.filter((at) => at <= now).length;
    if (isWanting && !event.isOnItsWay) due.push(event.eventId);
  }
  return { due, isSettled };
}

/** When the additional copies of an event are due, as far as known. */
function copyTimes(event: EventCopies, events: readonly EventCopies[], trouble: Trouble): Instant[] {
  const first = event.firstDeliveredAt;
  if (first === null) return [];
  const times: Instant[] = [];
  if (trouble.duplicate === true) times.push(first);
  if (trouble.delaySeconds !== undefined && trouble.delaySeconds > 0) {
    times.push(first + trouble.delaySeconds * SECOND_MS);
  }
  if (trouble.outOfOrder === true) {
    const next = events.find((other) => other.type === event.type && other.version === event.version + 1);
    if (next !== undefined) times.push(next.firstDeliveredAt ?? Infinity);
  }
  return times;
}
