// What this node has in memory, by order: waiting, under way, or ended and not yet written down.
import type { Delivery } from '../store/deliveries.ts';

type Held = Pick<Delivery, 'eventId' | 'orderId'>;

export class HeldDeliveries {
  #idsByOrder = new Map<string, Set<string>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has({ eventId, orderId }: Held): boolean {
    return this.#idsByOrder.get(orderId)?.has(eventId) ?? false;
  }

  add({ eventId, orderId }: Held): void {
    const ids = this.#idsByOrder.get(orderId);
    if (ids?.has(eventId)) return;
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
}
