// The live orders of the areas that are planned here, kept in memory from round to round. A look at all of them asks which
// have changed, and reads only those; a look at a few reads these alone.
import type { Instant } from '../domain/time.ts';
import type { Database } from '../store/database.ts';
import {
  listLiveOrders,
  listLiveRevisions,
  listOrderFacts,
  type LiveOrder,
  type LiveRevision,
  type OrderFacts,
} from '../store/planning-orders.ts';

interface KeptOrder {
  order: LiveOrder;
  /** As they were when the order had its revision, or after that: what changed meanwhile is read again. */
  facts: OrderFacts | undefined;
}

/** In the order of their ids; facts by the order's id. */
export interface OrdersNow {
  orders: readonly LiveOrder[];
  facts: ReadonlyMap<string, OrderFacts>;
}

export class LiveOrders {
  #kept = new Map<string, KeptOrder>();
  #restaurantIds: ReadonlySet<string> = new Set();
  #gone: string[] = [];

  async readAll(db: Database, restaurantIds: readonly string[], now: Instant): Promise<OrdersNow> {
    const revisions = restaurantIds.length === 0 ? [] : await listLiveRevisions(db, restaurantIds);
    const changed = revisions.filter((live) => this.#isOld(live)).map(({ id }) => id);
    const read = await this.#read(db, changed, now);
    const before = this.#kept;
    this.#restaurantIds = new Set(restaurantIds);
    this.#kept = new Map();
    const isChanged = new Set(changed);
    for (const { id } of revisions) {
      // What has changed and cannot be read any more was finished a moment ago.
      const kept = isChanged.has(id) ? read.get(id) : before.get(id);
      if (kept !== undefined) this.#kept.set(id, kept);
    }
    for (const id of before.keys()) if (!this.#kept.has(id)) this.#gone.push(id);
    return this.#list();
  }

  /** Reads those named, of the restaurants that it looked at last; the others are as they were. */
  async readNamed(db: Database, orderIds: readonly string[], now: Instant): Promise<OrdersNow> {
    const read = await this.#read(db, orderIds, now);
    for (const id of orderIds) {
      const kept = read.get(id);
      if (kept !== undefined && this.#isToPlan(kept.order)) this.#kept.set(id, kept);
      else if (this.#kept.delete(id)) this.#gone.push(id);
    }
    this.#kept = new Map([...this.#kept].toSorted(([one], [other]) => (one < other ? -1 : 1)));
    return this.#list();
  }

  /** Those that it had and that are there no more, each told once. */
  takeGone(): string[] {
    return this.#gone.splice(0);
  }

  #list(): OrdersNow {
    const orders: LiveOrder[] = [];
    const facts = new Map<string, OrderFacts>();
    for (const [id, kept] of this.#kept) {
      orders.push(kept.order);
      if (kept.facts !== undefined) facts.set(id, kept.facts);
    }
    return { orders, facts };
  }

  #isOld({ id, revision, planRevision }: LiveRevision): boolean {
    const order = this.#kept.get(id)?.order;
    if (order === undefined || order.revision !== revision || order.planRevision !== planRevision) return true;
    // A refusal ends with time, without a change of the order.
    return order.refusedBy.length > 0;
  }

  /** The content of an order is long: it is read again only after the order itself has changed. */
  async #read(db: Database, orderIds: readonly string[], now: Instant): Promise<ReadonlyMap<string, KeptOrder>> {
    if (orderIds.length === 0) return new Map();
    const orders = await listLiveOrders(db, orderIds, now);
    const unknown = orders.filter(({ id, revision }) => this.#kept.get(id)?.order.revision !== revision);
    const factsRead = unknown.length === 0 ? [] : await listOrderFacts(db, unknown.map(toId));
    const facts = new Map(factsRead.map((read) => [read.id, read]));
    return new Map(orders.map((order) => [order.id, { order, facts: facts.get(order.id) ?? this.#factsOf(order) }]));
  }

  #factsOf({ id }: LiveOrder): OrderFacts | undefined {
    return this.#kept.get(id)?.facts;
  }

  #isToPlan({ state, restaurantId }: LiveOrder): boolean {
    return state !== 'NEW' && this.#restaurantIds.has(restaurantId);
  }
}

function toId({ id }: LiveOrder): string {
  return id;
}
