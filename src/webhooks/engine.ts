// The delivery engine of one node. Deliveries come to it from two sides: straight from the commit that made them
// (the fast path, from memory), and by claiming what is due in the database (retries, recovery, other nodes' work).
// Both go through the same queues. Three rules hold everywhere:
//   - nothing is sent whose lease this node does not hold and has not been seen alive with, just now;
//   - one attempt at a time per order and endpoint, first attempts in the order of events;
//   - a result counts only while the lease is still held.
import type { EndpointKind } from '../domain/events.ts';
import { nextAttemptAt } from '../domain/retry.ts';
import type { Platform } from '../platform.ts';
import type { AttemptRecord } from '../store/attempts.ts';
import type { Database } from '../store/database.ts';
import {
  claimDueDeliveries,
  findNextDueAt,
  holdDeliveries,
  listLeases,
  releaseDeliveries,
  releaseForgottenHeld,
  type Delivery,
} from '../store/deliveries.ts';
import { createAlarm } from './alarm.ts';
import { EndpointQueue } from './endpoint-queue.ts';
import { HeldDeliveries } from './held-deliveries.ts';
import type { Presence } from './presence.ts';
import type { AttemptRecorder } from './recorder.ts';
import { headersFor } from './request-headers.ts';
import type { AttemptOutcome, Sender } from './sender.ts';
import type { Target, TargetBook } from './targets.ts';

const MOST_IN_FLIGHT = 512;
const MOST_IN_MEMORY = 20_000;
const MOST_PER_ENDPOINT = 1_000;
const MOST_PER_FAILING_ENDPOINT = 2;
const MOST_A_CLAIM = 500;
/** The poll that is the truth; everything else is a hint. */
const LONGEST_POLL_MS = 1_000;
const SWEEP_INTERVAL_MS = 5_000;

export interface EngineDeps extends Pick<Platform, 'clock' | 'log'> {
  db: Database;
  presence: Pick<Presence, 'nodeId'>;
  sender: Pick<Sender, 'send'>;
  targets: TargetBook;
  recorder: AttemptRecorder;
  onAttempt?(endpoint: EndpointKind, outcome: AttemptOutcome): void;
}

export class DeliveryEngine {
  #deps: EngineDeps;
  #queues = new Map<string, EndpointQueue>();
  /** Queues that may have something to start; each at most once. */
  #runnable = new Set<EndpointQueue>();
  #held = new HeldDeliveries();
  #inFlight = 0;
  #isPumping = false;
  #suspects = new Set<string>();
  /** More is due than fits into memory: claim again as soon as there is room, not only at the next poll. */
  #isBehind = false;
  #alarm = createAlarm();
  #idleWaiters: (() => void)[] = [];

  constructor(deps: EngineDeps) {
    this.#deps = deps;
  }

  nodeId(): string | null {
    return this.#deps.presence.nodeId();
  }

  hasRoomFor(restaurantId: string, endpoint: EndpointKind): boolean {
    const queue = this.#queues.get(`${restaurantId}/${endpoint}`);
    const hasRoom = this.#held.size < MOST_IN_MEMORY && (queue === undefined || queue.size < roomOf(queue));
    if (!hasRoom) this.#isBehind = true;
    return hasRoom;
  }

  heldIdsOf(orderId: string): string[] {
    return this.#held.idsOf(orderId);
  }

  accept(deliveries: Delivery[]): void {
    for (const delivery of deliveries) {
      // Leased under an id that this node has lost since: it is free again, or will be.
      if (delivery.leasedBy !== this.nodeId() || this.#held.has(delivery)) continue;
      this.#held.add(delivery);
      const queue = this.#queueOf(delivery);
      queue.add(delivery);
      this.#runnable.add(queue);
    }
    this.#pump();
  }

  /** Something may have become due. */
  wake(): void {
    this.#alarm.ring();
  }

  /** Forgets what waits; resolves when nothing is under way any more. */
  async drop(): Promise<void> {
    for (const queue of this.#queues.values()) {
      for (const delivery of queue.drain()) this.#held.delete(delivery);
    }
    this.#runnable.clear();
    await this.idle();
  }

  /** Resolves when no attempt is under way and every result is written down. */
  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
    await this.#deps.recorder.idle();
  }

  stats(): { inMemory: number; inFlight: number } {
    return { inMemory: this.#held.size, inFlight: this.#inFlight };
  }

  async run(signal: AbortSignal): Promise<void> {
    let sweptAtMs = this.#deps.clock.monotonicMs();
    while (!signal.aborted) {
      let waitMs = LONGEST_POLL_MS;
      try {
        const claimed = await this.claim();
        if (claimed >= MOST_A_CLAIM) this.#isBehind = true;
        else waitMs = Math.min(waitMs, await this.#timeUntilDue());
        if (this.#deps.clock.monotonicMs() - sweptAtMs > SWEEP_INTERVAL_MS) {
          sweptAtMs = this.#deps.clock.monotonicMs();
          await this.sweep();
        }
      } catch (error) {
        this.#deps.log.warn({ event: 'deliveries.not_claimed', reason: String(error) });
      }
      await this.#alarm.wait(waitMs, signal);
    }
  }

  /** Takes what is due and free from the database; says how much. */
  async claim(): Promise<number> {
    const nodeId = this.nodeId();
    const limit = Math.min(MOST_A_CLAIM, MOST_IN_MEMORY - this.#held.size);
    if (nodeId === null || limit <= 0) return 0;
    const fullEndpoints = [...this.#queues.values()]
      .filter((queue) => queue.size >= roomOf(queue))
      .map((queue) => queue.key);
    const now = this.#deps.clock.now();
    const heldIdsOf = (orderIds: readonly string[]): string[] => orderIds.flatMap((id) => this.#held.idsOf(id));
    const claimed = await this.#deps.db.transaction((tx) =>
      claimDueDeliveries(tx, { nodeId, now, limit, fullEndpoints, heldIdsOf }),
    );
    if (claimed.length > 0) this.accept(claimed);
    return claimed.length;
  }

  /**
   * Frees what is leased to this node without being in its memory: a commit whose answer was lost leaves such
   * deliveries behind. Freed only when seen twice, because a fresh commit may be on its way into memory.
   */
  async sweep(): Promise<void> {
    const nodeId = this.nodeId();
    if (nodeId === null) return;
    await releaseForgottenHeld(this.#deps.db, this.#deps.clock.now());
    const leases = await listLeases(this.#deps.db, nodeId);
    const strangers = leases.filter((lease) => !this.#held.has(lease)).map((lease) => lease.eventId);
    const stranded = strangers.filter((id) => this.#suspects.has(id));
    this.#suspects = new Set(strangers);
    if (stranded.length > 0) {
      this.#deps.log.warn({ event: 'deliveries.recovered', count: stranded.length });
      await releaseDeliveries(this.#deps.db, nodeId, stranded);
      this.wake();
    }
  }

  async #timeUntilDue(): Promise<number> {
    const dueAt = await findNextDueAt(this.#deps.db);
    if (dueAt === undefined) return LONGEST_POLL_MS;
    const waitMs = dueAt - this.#deps.clock.now();
    // Due already and yet not claimed: it is locked, full or behind another; the poll will come back to it.
    return waitMs <= 0 ? LONGEST_POLL_MS / 4 : waitMs;
  }

  #queueOf(delivery: Delivery): EndpointQueue {
    const key = `${delivery.restaurantId}/${delivery.endpoint}`;
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      queue = new EndpointQueue(key);
      this.#queues.set(key, queue);
    }
    return queue;
  }

  /** Endpoints take turns, one delivery each, for as long as there is room. */
  #pump(): void {
    // A delivery that may not be sent is let go at once, which calls this again: as a loop it may happen to thousands
    // in a row, as a recursion it would end the process.
    if (this.#isPumping) return;
    this.#isPumping = true;
    while (this.#inFlight < MOST_IN_FLIGHT) {
      const [queue] = this.#runnable;
      if (queue === undefined) break;
      this.#runnable.delete(queue);
      const delivery = queue.take();
      if (delivery === undefined) continue;
      this.#runnable.add(queue);
      this.#inFlight += 1;
      void this.#send(queue, delivery);
    }
    this.#isPumping = false;
  }

  async #send(queue: EndpointQueue, delivery: Delivery): Promise<void> {
    try {
      const { restaurantId, endpoint } = delivery;
      const target =
        this.#deps.targets.peek(restaurantId, endpoint) ?? (await this.#deps.targets.find(restaurantId, endpoint));
      if (this.nodeId() !== delivery.leasedBy) this.#letGo(queue, delivery);
      else if (target.url === null) await this.#hold(queue, delivery);
      else await this.#attempt({ queue, delivery, target, url: target.url });
    } catch (error) {
      // The row stays leased and out of memory; the sweep frees it.
      this.#deps.log.error({ event: 'delivery.broken', eventId: delivery.eventId, reason: String(error) });
      this.#letGo(queue, delivery);
    }
  }

  async #attempt(work: { queue: EndpointQueue; delivery: Delivery; target: Target; url: string }): Promise<void> {
    const { queue, delivery, target, url } = work;
    const headers = headersFor(delivery, target, this.#deps.clock.now());
    // Waiting for a connection, or frozen, the node may have lost its lease; then another one sends it.
    const mayBegin = (): boolean => this.nodeId() === delivery.leasedBy;
    const outcome = await this.#deps.sender.send({ url, body: delivery.body, headers, mayBegin });
    if (outcome.errorClass === 'withdrawn') return this.#letGo(queue, delivery);
    queue.adapt(outcome.ok);
    this.#deps.onAttempt?.(delivery.endpoint, outcome);
    // The lane is free as soon as the attempt has ended: should the record be lost, the worst is a duplicate.
    this.#leave(queue, delivery);
    await this.#deps.recorder.record(
      delivery.leasedBy,
      toRecord(delivery, outcome, { url, secretId: target.secretId }),
    );
    this.#held.delete(delivery);
  }

  async #hold(queue: EndpointQueue, delivery: Delivery): Promise<void> {
    await holdDeliveries(this.#deps.db, delivery.leasedBy, [delivery.eventId]);
    this.#letGo(queue, delivery);
  }

  #letGo(queue: EndpointQueue, delivery: Delivery): void {
    this.#held.delete(delivery);
    this.#leave(queue, delivery);
  }

  #leave(queue: EndpointQueue, delivery: Delivery): void {
    queue.finish(delivery);
    this.#inFlight -= 1;
    if (queue.canStart) this.#runnable.add(queue);
    else if (queue.size === 0 && !queue.isFailing) this.#queues.delete(queue.key);
    if (this.#inFlight === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve();
    if (this.#isBehind && queue.size < roomOf(queue) / 2) {
      this.#isBehind = false;
      this.wake();
    }
    this.#pump();
  }
}

function roomOf(queue: EndpointQueue): number {
  return queue.isFailing ? MOST_PER_FAILING_ENDPOINT : MOST_PER_ENDPOINT;
}

function toRecord(
  delivery: Delivery,
  outcome: AttemptOutcome,
  used: { url: string; secretId: string | null },
): AttemptRecord {
  const { ok, ...measured } = outcome;
  const failures = ok ? 0 : delivery.failures + 1;
  return {
    ...measured,
    eventId: delivery.eventId,
    restaurantId: delivery.restaurantId,
    endpoint: delivery.endpoint,
    number: delivery.attempts + 1,
    delivered: ok,
    failures,
    nextAttemptAt: ok ? null : nextAttemptAt(failures, outcome.endedAt),
    url: used.url,
    secretId: used.secretId,
  };
}
