// The live orders of the areas that are planned here, kept in memory from round to round. A round asks which of them have
// changed, and reads only those.
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
  facts: OrderFacts | undefined;
  /** As they were before it was read: what changed meanwhile is read again. */
  revision: string;
  planRevision: string;
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
    const changed = revisions.filter((live) => this.#isOld(live));
    const read = changed.length === 0 ? NONE : await this.#readChanged(db, changed, now);
    const before = this.#kept;
    this.#kept = new Map();
    const orders: LiveOrder[] = [];
    const facts = new Map<string, OrderFacts>();
    const isChanged = new Set(changed);
    for (const live of revisions) {
      // What has changed and cannot be read any more was finished a moment ago.
      const kept = isChanged.has(live) ? read.get(live.id) : before.get(live.id);
      if (kept === undefined) continue;
      this.#kept.set(live.id, kept);
      orders.push(kept.order);
      if (kept.facts !== undefined) facts.set(live.id, kept.facts);
    }
    return { orders, facts };
  }

  #isOld({ id, revision, planRevision }: LiveRevision): boolean {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.revision !== revision || kept.planRevision !== planRevision) return true;
    // A refusal ends with time, without a change of the order.
    return kept.order.refusedBy.length > 0;
  }

  /** The content of an order is long: it is read again only after the order itself has changed. */
  async #readChanged(
    db: Database,
    changed: readonly LiveRevision[],
    now: Instant,
  ): Promise<ReadonlyMap<string, KeptOrder>> {
    const ids = changed.map(({ id }) => id);
    const unknown = changed.filter(({ id, revision }) => this.#kept.get(id)?.revision !== revision);
    const [orders, factsRead] = await Promise.all([
      listLiveOrders(db, ids, now),
      unknown.length === 0
        ? []
        : listOrderFacts(
            db,
            unknown.map(({ id }) => id),
          ),
    ]);
    const factsById = new Map(factsRead.map((facts) => [facts.id, facts]));
    const ordersById = new Map(orders.map((order) => [order.id, order]));
    const read = new Map<string, KeptOrder>();
    for (const { id, revision, planRevision } of changed) {
      const order = ordersById.get(id);
      const facts = factsById.get(id) ?? this.#kept.get(id)?.facts;
      if (order !== undefined) read.set(id, { order, facts, revision, planRevision });
    }
    return read;
  }
}

const NONE: ReadonlyMap<string, KeptOrder> = new Map();
