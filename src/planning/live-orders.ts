// The live orders of the areas that are planned here, kept in memory from round to round. A round asks which of them have
// changed, and reads only those.
import type { Instant } from '../domain/time.ts';
import type { Database } from '../store/database.ts';
import {
  listLiveOrders,
  listLiveRevisions,
  listOrderFacts,
  type LiveOrder,
  type OrderFacts,
} from '../store/planning-orders.ts';

interface KeptOrder {
  /** Of the order and its place in the plan. */
  revision: string;
  order: LiveOrder;
  facts: OrderFacts | undefined;
}

export class LiveOrders {
  #kept = new Map<string, KeptOrder>();

  /** As they are now; facts by the order's id. */
  async read(
    db: Database,
    restaurantIds: readonly string[],
    now: Instant,
  ): Promise<{ orders: LiveOrder[]; facts: Map<string, OrderFacts> }> {
    const revisions = await listLiveRevisions(db, restaurantIds);
    const changed = new Map(revisions.filter((live) => this.#isOld(live)).map(({ id, revision }) => [id, revision]));
    const read = new Map<string, KeptOrder>();
    if (changed.size > 0) {
      const orders = await listLiveOrders(db, [...changed.keys()], now);
      const facts = await this.#readFacts(db, orders);
      for (const order of orders) {
        const { id } = order;
        read.set(id, { revision: changed.get(id) ?? '', order, facts: facts.get(id) ?? this.#kept.get(id)?.facts });
      }
    }
    this.#kept = new Map(
      revisions.flatMap(({ id }) => {
        // What has changed and cannot be read any more was finished a moment ago.
        const kept = changed.has(id) ? read.get(id) : this.#kept.get(id);
        return kept === undefined ? [] : [[id, kept] as const];
      }),
    );
    const all = [...this.#kept.values()];
    return {
      orders: all.map(({ order }) => order),
      facts: new Map(all.flatMap(({ facts }) => (facts === undefined ? [] : [[facts.id, facts] as const]))),
    };
  }

  #isOld({ id, revision }: { id: string; revision: string }): boolean {
    const kept = this.#kept.get(id);
    // A refusal ends with time, without a change of the order.
    return kept?.revision !== revision || kept.order.refusedBy.length > 0;
  }

  /** The content of an order is long: it is read again only after the order itself has changed. */
  async #readFacts(db: Database, orders: readonly LiveOrder[]): Promise<Map<string, OrderFacts>> {
    const unknown = orders.filter(({ id, revision }) => this.#kept.get(id)?.order.revision !== revision);
    if (unknown.length === 0) return new Map();
    const facts = await listOrderFacts(
      db,
      unknown.map(({ id }) => id),
    );
    return new Map(facts.map((fact) => [fact.id, fact]));
  }
}
