// An area's orders, by id and in id order, maintained between plans: only a few change, and sorting all of them for
// each plan would be a large part of its work.
import type { KnownOrder } from './describe-order.ts';

export class SortedOrders {
  readonly #list: KnownOrder[] = [];
  readonly #byId = new Map<string, KnownOrder>();

  get list(): readonly KnownOrder[] {
    return this.#list;
  }

  get byId(): ReadonlyMap<string, KnownOrder> {
    return this.#byId;
  }

  set(known: KnownOrder): void {
    const { id } = known.order;
    this.#list.splice(this.#placeOf(id), this.#byId.has(id) ? 1 : 0, known);
    this.#byId.set(id, known);
  }

  delete(id: string): void {
    if (this.#byId.delete(id)) this.#list.splice(this.#placeOf(id), 1);
  }

  /** The index where the order is or would be. */
  #placeOf(id: string): number {
    let low = 0;
    let high = this.#list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#list[middle]?.order.id ?? '') < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
