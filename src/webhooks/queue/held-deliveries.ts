// The deliveries that this node has in memory, by order: waiting, in flight, or ended and not yet recorded. Also those
// that it dropped unsent a short while ago: deliveries that have to follow them must not be sent now.
import type { Delivery } from '../../store/webhooks/deliveries.ts';

type Held = Pick<Delivery, 'eventId' | 'orderId'>;

export class HeldDeliveries {
  #idsByOrder = new Map<string, Set<string>>();
  #size = 0;
  /** By event id. */
  #abandonedAtMs = new Map<string, number>();

  get size(): number {
    return this.#size;
  }

  has({ eventId, orderId }: Held): boolean {
    return this.#idsByOrder.get(orderId)?.has(eventId) ?? false;
  }

  add({ eventId, orderId }: Held): void {
    const ids = this.#idsByOrder.get(orderId);
    if (ids?.has(eventId)) return;
    this.#abandonedAtMs.delete(eventId);
    if (ids === undefined) this.#idsByOrder.set(orderId, new Set([eventId]));
    else ids.add(eventId);
    this.#size += 1;
  }

  delete({ eventId, orderId }: Held): void {
    const ids = this.#idsByOrder.get(orderId);
    if (ids === undefined || !ids.delete(eventId)) return;
    if (ids.size === 0) this.#idsByOrder.delete(orderId);
    this.#size -= 1;
  }

  idsOf(orderId: string): string[] {
    return [...(this.#idsByOrder.get(orderId) ?? [])];
  }

  /** Forgets a delivery that was not sent. A commit or a claim that still counts on it may be running. */
  abandon(delivery: Held, nowMs: number): void {
    this.delete(delivery);
    this.#abandonedAtMs.set(delivery.eventId, nowMs);
  }

  /** Whether it was leased only because another delivery would be sent first, and that one was dropped since. */
  countsOnAbandoned({ countedOn = [] }: Pick<Delivery, 'countedOn'>): boolean {
    return this.#abandonedAtMs.size > 0 && countedOn.some((eventId) => this.#abandonedAtMs.has(eventId));
  }

  /** After this time, no running commit or claim can count on them any more. */
  forgetAbandoned(beforeMs: number): void {
    for (const [eventId, atMs] of this.#abandonedAtMs) if (atMs < beforeMs) this.#abandonedAtMs.delete(eventId);
  }
}
