// The delivery engine of one node. Deliveries come from two sources: straight from the commit that created them
// (the fast path, from memory), and by claiming what is due in the database (retries, recovery, other nodes' work).
// Both go through the same queues. Three rules always hold:
//   - nothing is sent without a lease held by this node, under an id that was seen alive recently enough;
//   - one attempt at a time per order and endpoint, first attempts in event order;
//   - a success counts only while the lease is still held; a failure also counts if no one has taken the lease since.
import type { Outbox } from '../../actions/orders/event-outbox.ts';
import type { EndpointKind } from '../../domain/webhooks/events.ts';
import type { SetAside } from '../../domain/upkeep/set-aside.ts';
import type { Platform } from '../../platform.ts';
import type { Database } from '../../store/database/database.ts';
import { findNextDueAt, holdDeliveries, type Delivery } from '../../store/webhooks/deliveries.ts';
import { createAlarm } from './interruptible-wait.ts';
import { SECRET_UNREADABLE } from '../dial/attempt-failure.ts';
import { notSent, toRecord } from '../client/attempt-outcome.ts';
import { AttemptsInFlight, type AttemptInFlight } from './attempts-in-flight.ts';
import { Claims } from './claims.ts';
import { INITIAL_CONCURRENT, type EndpointQueue } from './endpoint-queue.ts';
import { EndpointQueues, keyOf } from './endpoint-queues.ts';
import { HeldDeliveries } from './held-deliveries.ts';
import { Leases } from './leases.ts';
import { LiveTraffic } from './live-traffic.ts';
import type { Presence } from './node-presence.ts';
import type { AttemptRecorder } from './result-recorder.ts';
import { headersFor } from '../client/request-headers.ts';
import type { AttemptOutcome, AttemptRequest, Sender } from '../client/sender.ts';
import type { Target, TargetCache } from '../client/targets.ts';
import { Turns } from './turns.ts';

const MAX_IN_MEMORY = 20_000;
const MAX_PER_CLAIM = 500;
/** Polling guarantees progress; notifications only shorten the wait. */
const MAX_POLL_MS = 1_000;
/** When due deliveries could not be claimed but will probably be free soon. */
const SHORT_POLL_MS = 250;
const SWEEP_INTERVAL_MS = 5_000;
/** Between two webhooks to an endpoint that catches up while others have live traffic: about 200 per second. */
const CATCH_UP_PAUSE_MS = 4;
/** An upper bound for the duration of a commit, including its retry. */
const MAX_COMMIT_MS = 120_000;

export interface EngineDeps extends Pick<Platform, 'clock' | 'log'> {
  db: Database;
  presence: Pick<Presence, 'nodeId'>;
  sender: Pick<Sender, 'send'>;
  targets: TargetCache;
  recorder: AttemptRecorder;
  setAside: SetAside;
  onAttempt?(endpoint: EndpointKind, outcome: AttemptOutcome): void;
}

export class DeliveryEngine implements Outbox {
  #deps: EngineDeps;
  #queues = new EndpointQueues();
  #turns: Turns;
  #held = new HeldDeliveries();
  #leases: Leases;
  #claims: Claims;
  #inFlight: AttemptsInFlight;
  #live = new LiveTraffic();
  /** More is due than fits into memory: claim again as soon as there is room instead of at the next poll. */
  #isBehind = false;
  #isWorthLookingAgain = true;
  #alarm = createAlarm();

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    this.#leases = new Leases({ ...deps, isHeld: (delivery) => this.#held.has(delivery) });
    this.#claims = new Claims(deps, (orderId) => this.#held.idsOf(orderId));
    this.#inFlight = new AttemptsInFlight(deps.clock, () => this.#turns.take());
    this.#turns = new Turns({
      hasRoom: () => this.#inFlight.hasRoom,
      start: (queue, delivery) => void this.#send(this.#inFlight.begin(queue, delivery)),
      pauseMsOf: (queue) =>
        queue.isCatchingUp && this.#live.hasOthersThan(queue.key, deps.clock.monotonicMs()) ? CATCH_UP_PAUSE_MS : 0,
    });
  }

  nodeId(): string | null {
    return this.#deps.presence.nodeId();
  }

  hasRoomFor(restaurantId: string, endpoint: EndpointKind): boolean {
    const queue = this.#queues.find(restaurantId, endpoint);
    if (this.#held.size >= MAX_IN_MEMORY) {
      this.#isBehind = true;
      return false;
    }
    if (queue === undefined || queue.size < this.#roomOf(queue)) return true;
    queue.noteOverflow();
    return false;
  }

  isFailing(restaurantId: string, endpoint: EndpointKind): boolean {
    return this.#queues.find(restaurantId, endpoint)?.isFailing ?? false;
  }

  heldIdsOf(orderId: string): string[] {
    return this.#held.idsOf(orderId);
  }

  /** Takes deliveries that a commit has just leased to this node. */
  accept(deliveries: Delivery[]): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const delivery of deliveries) this.#live.note(keyOf(delivery), nowMs);
    this.#admit(deliveries);
  }

  #admit(deliveries: Delivery[]): void {
    for (const delivery of deliveries) {
      // Leased under an id that this node has since lost: the delivery is free again, or will be.
      if (delivery.leasedBy !== this.nodeId() || this.#held.has(delivery)) continue;
      // The sweep frees it later, after the delivery it has to follow.
      if (this.#held.countsOnAbandoned(delivery)) continue;
      this.#held.add(delivery);
      const queue = this.#queues.of(delivery);
      queue.add(delivery);
      // There may be more due than what filled it up.
      if (queue.size >= this.#roomOf(queue)) queue.noteOverflow();
      this.#turns.add(queue);
    }
    this.#turns.take();
  }

  /** Something may have become due. */
  wake(): void {
    this.#alarm.ring();
  }

  /** Drops all waiting deliveries. Resolves when no attempt is in flight. */
  async drop(): Promise<void> {
    for (const queue of this.#queues.all()) {
      for (const delivery of queue.drain()) this.#held.delete(delivery);
    }
    this.#turns.clear();
    await this.idle();
  }

  /** Like `drop`, but permanent: an unavailable database does not keep the node from stopping. */
  async stop(): Promise<void> {
    this.#deps.recorder.beginStopping();
    await this.drop();
  }

  /** Resolves when no attempt is in flight and every result is recorded. */
  async idle(): Promise<void> {
    await this.#inFlight.idle();
    await this.#deps.recorder.idle();
  }

  stats(): { inMemory: number; inFlight: number } {
    return { inMemory: this.#held.size, inFlight: this.#inFlight.size };
  }

  async run(signal: AbortSignal): Promise<void> {
    let sweptAtMs = this.#deps.clock.monotonicMs();
    while (!signal.aborted) {
      let waitMs = MAX_POLL_MS;
      try {
        const claimed = await this.claim();
        if (claimed >= MAX_PER_CLAIM) this.#isBehind = true;
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

  /** Claims due deliveries from the database; returns how many. */
  async claim(): Promise<number> {
    const nodeId = this.nodeId();
    const limit = Math.min(MAX_PER_CLAIM, MAX_IN_MEMORY - this.#held.size);
    if (nodeId === null || limit <= 0) return 0;
    const rooms = this.#queues.listRooms(MAX_IN_MEMORY - this.#held.size);
    const now = this.#deps.clock.now();
    const claimed = await this.#claims.claim({ nodeId, now, limit, rooms, roomOfOthers: INITIAL_CONCURRENT });
    // The clock was set back during the claim, so some deliveries may not be due yet. The sweep frees them.
    if (this.#deps.clock.now() < now) return 0;
    this.#queues.noteClaimed(claimed, rooms, limit);
    this.#isWorthLookingAgain = this.#queues.isWorthLookingAgain(claimed, rooms);
    if (claimed.length > 0) this.#admit(claimed);
    return claimed.length;
  }

  #roomOf(queue: EndpointQueue): number {
    return queue.roomIn(MAX_IN_MEMORY - this.#held.size);
  }

  #claimRoomOf(queue: EndpointQueue): number {
    return queue.claimRoomIn(MAX_IN_MEMORY - this.#held.size);
  }

  /** Recovers leases that this node no longer has in memory, and forgets the answer history of unused endpoints. */
  async sweep(): Promise<void> {
    this.#queues.forgetUnused();
    const nodeId = this.nodeId();
    if (nodeId === null) return;
    await this.#leases.releaseForgotten();
    this.#held.forgetAbandoned(this.#deps.clock.monotonicMs() - MAX_COMMIT_MS);
    if ((await this.#leases.sweep(nodeId)) > 0) this.wake();
  }

  async #timeUntilDue(): Promise<number> {
    const dueAt = await findNextDueAt(this.#deps.db);
    if (dueAt === undefined) return MAX_POLL_MS;
    const waitMs = dueAt - this.#deps.clock.now();
    if (waitMs > 0) return waitMs;
    return this.#isWorthLookingAgain ? SHORT_POLL_MS : MAX_POLL_MS;
  }

  async #send(work: AttemptInFlight): Promise<void> {
    const { delivery } = work;
    try {
      const { restaurantId, endpoint } = delivery;
      const target =
        this.#deps.targets.peek(restaurantId, endpoint) ?? (await this.#deps.targets.find(restaurantId, endpoint));
      if (this.nodeId() !== delivery.leasedBy) this.#forget(work);
      else if (target.url === null) await this.#hold(work);
      else await this.#attempt(work, target, target.url);
    } catch (error) {
      // The row stays leased but is no longer in memory; the sweep frees it.
      this.#deps.log.error({ event: 'delivery.broken', eventId: delivery.eventId, reason: String(error) });
      this.#forget(work);
    }
  }

  async #attempt(work: AttemptInFlight, target: Target, url: string): Promise<void> {
    const { queue, delivery } = work;
    const signedAt = this.#deps.clock.now();
    const outcome = target.isSecretUnreadable
      ? await this.#refuseUnsigned(delivery)
      : await this.#dispatch(work, { url, headers: headersFor(delivery, target, signedAt) });
    if (outcome.errorClass === 'withdrawn') return this.#forget(work);
    queue.adapt(outcome);
    if (queue.isFailing && queue.size > queue.roomIn()) this.#shed(queue);
    this.#deps.onAttempt?.(delivery.endpoint, outcome);
    // The lane is free as soon as the attempt has ended. If the record is lost, the worst case is a duplicate.
    this.#leave(work);
    await this.#deps.recorder.record(delivery.leasedBy, toRecord(delivery, outcome, { url, target, signedAt }));
    this.#held.delete(delivery);
  }

  #dispatch(
    { queue, delivery }: AttemptInFlight,
    request: Pick<AttemptRequest, 'url' | 'headers'>,
  ): Promise<AttemptOutcome> {
    // The node may lose its lease while it waits for a connection or is frozen. Then another node sends the delivery.
    const mayBegin = (): boolean => this.nodeId() === delivery.leasedBy;
    return this.#deps.sender.send({ ...request, tenant: queue.key, body: delivery.body, mayBegin });
  }

  async #refuseUnsigned({ restaurantId }: Delivery): Promise<AttemptOutcome> {
    const reason = SECRET_UNREADABLE.errorText;
    await this.#deps.setAside.report('webhooks', [{ kind: 'restaurant', id: restaurantId, reason }]);
    return notSent(SECRET_UNREADABLE, this.#deps.clock.now());
  }

  async #hold(work: AttemptInFlight): Promise<void> {
    await holdDeliveries(this.#deps.db, work.delivery.leasedBy, [work.delivery.eventId]);
    this.#forget(work);
  }

  /** A failing endpoint gets one probe at a time. The others wait in the database, where they cost nothing. */
  #shed(queue: EndpointQueue): void {
    const shed = queue.drain();
    queue.noteOverflow();
    for (const delivery of shed) this.#held.abandon(delivery, this.#deps.clock.monotonicMs());
    this.#leases.giveBack(shed);
  }

  /** Forgets an unsent delivery and those that wait behind it: nothing of its order may be sent before it. */
  #forget(work: AttemptInFlight): void {
    const { queue, delivery } = work;
    const nowMs = this.#deps.clock.monotonicMs();
    for (const left of [delivery, ...queue.drainBehind(delivery)]) this.#held.abandon(left, nowMs);
    this.#leave(work);
  }

  #leave(work: AttemptInFlight): void {
    const { queue } = work;
    this.#inFlight.end(work);
    if (queue.canStart) this.#turns.add(queue);
    this.#catchUp(queue);
    this.#turns.take();
  }

  /** Requests another claim as soon as a backlogged queue has room. A failing endpoint waits for the poll. */
  #catchUp(queue: EndpointQueue): void {
    const hasRoomAgain = queue.hasUnclaimed && !queue.isFailing && queue.size < this.#claimRoomOf(queue) / 2;
    if (!hasRoomAgain && !(this.#isBehind && this.#held.size < MAX_IN_MEMORY / 2)) return;
    queue.noteClaimRequested();
    this.#isBehind = false;
    this.wake();
  }
}
