// The live orders of the areas planned here, kept in memory between rounds. A full read compares revisions and reads
// only what has changed; a partial read reads only the named orders. Both return the differences.
import type { Trouble } from '../../domain/upkeep/set-aside.ts';
import type { Instant } from '../../domain/time.ts';
import type { Database } from '../../store/database/database.ts';
import {
  listLiveOrders,
  listOrderFacts,
  readRevisions,
  type LiveOrder,
  type LiveRevision,
  type OrderFacts,
} from '../../store/planning/orders.ts';
import type { KnownOrder } from './describe-order.ts';

/** As returned by `listLiveRevisions`. */
export type ListedRevisions = ReadonlyMap<string, string>;

export interface OrderChanges {
  /** New and changed orders. */
  changed: KnownOrder[];
  /** In their last known state. */
  gone: LiveOrder[];
}

export interface NamedChanges extends OrderChanges {
  /** Restaurants of plannable orders that lie outside the areas planned here. */
  otherRestaurantIds: string[];
}

export class LiveOrders {
  readonly #known = new Map<string, KnownOrder>();
  #restaurantIds: ReadonlySet<string> = new Set();
  #gone: string[] = [];
  /** Orders that could not be read, by id. */
  readonly #troubles = new Map<string, Trouble>();

  all(): Iterable<KnownOrder> {
    return this.#known.values();
  }

  find(orderId: string): KnownOrder | undefined {
    return this.#known.get(orderId);
  }

  /** Orders that cannot be read and so are not planned. */
  troubles(): Iterable<Trouble> {
    return this.#troubles.values();
  }

  /** Reads the orders of these restaurants, whose revisions have just been listed. */
  async readAll(
    db: Database,
    { restaurantIds, listed, now }: { restaurantIds: readonly string[]; listed: ListedRevisions; now: Instant },
  ): Promise<OrderChanges> {
    const revisions = restaurantIds.flatMap((id) => {
      const text = listed.get(id);
      return text === undefined ? [] : readRevisions(text);
    });
    const old = revisions.filter((live) => this.#isOld(live)).map(toId);
    const read = await this.#read(db, old, now);
    this.#restaurantIds = new Set(restaurantIds);
    const live = new Set(revisions.map(toId));
    // An order that changed but is no longer found has just been finished.
    for (const id of old) if (!read.has(id)) live.delete(id);
    return this.#take(
      [...read.values()],
      [...this.#known.keys()].filter((id) => !live.has(id)),
    );
  }

  /** Reads the named orders, for the restaurants of the last full read; all others stay unchanged. */
  async readNamed(db: Database, orderIds: readonly string[], now: Instant): Promise<NamedChanges> {
    const read = await this.#read(db, orderIds, now);
    const toPlan = [...read.values()].filter(({ order }) => order.state !== 'NEW');
    const ours = toPlan.filter(({ order }) => this.#restaurantIds.has(order.restaurantId));
    const live = new Set(ours.map(({ order }) => order.id));
    const changes = this.#take(
      ours,
      orderIds.filter((id) => !live.has(id)),
    );
    const others = toPlan.filter(({ order }) => !live.has(order.id));
    return { ...changes, otherRestaurantIds: others.map(({ order }) => order.restaurantId) };
  }

  /** Orders that are no longer live and may still have a plan, each returned once. */
  takeGone(): string[] {
    return this.#gone.splice(0);
  }

  /** Plans of these orders were recorded. Those that ended while the plan was made are returned by `takeGone` again. */
  notePlanned(orderIds: readonly string[]): void {
    this.#gone.push(...orderIds.filter((id) => !this.#known.has(id)));
  }

  #take(changed: KnownOrder[], ended: readonly string[]): OrderChanges {
    for (const known of changed) this.#known.set(known.order.id, known);
    const gone = ended.flatMap((id) => this.#known.get(id)?.order ?? []);
    for (const { id } of gone) {
      this.#known.delete(id);
      this.#troubles.delete(id);
    }
    this.#gone.push(...gone.map(toId));
    return { changed, gone };
  }

  #isOld({ id, revision, planRevision }: LiveRevision): boolean {
    const order = this.#known.get(id)?.order;
    if (order === undefined || order.revision !== revision || order.planRevision !== planRevision) return true;
    // A refusal expires without a change to the order.
    return order.refusedBy.length > 0;
  }

  /** The content of an order is large, so it is read again only after the order itself has changed. */
  async #read(db: Database, orderIds: readonly string[], now: Instant): Promise<ReadonlyMap<string, KnownOrder>> {
    if (orderIds.length === 0) return new Map();
    const orders = await listLiveOrders(db, orderIds, now);
    const unknown = orders.filter(({ id, revision }) => this.#known.get(id)?.order.revision !== revision);
    const facts = await this.#readFacts(db, unknown.map(toId));
    return new Map(orders.map((order) => [order.id, { order, facts: facts.get(order.id) ?? this.#factsOf(order) }]));
  }

  async #readFacts(db: Database, orderIds: readonly string[]): Promise<ReadonlyMap<string, OrderFacts>> {
    if (orderIds.length === 0) return new Map();
    const { values, troubles } = await listOrderFacts(db, orderIds);
    for (const id of orderIds) this.#troubles.delete(id);
    for (const trouble of troubles) this.#troubles.set(trouble.id, trouble);
    return new Map(values.map((facts) => [facts.id, facts]));
  }

  /** Undefined if the latest facts could not be read: the previous ones are out of date. */
  #factsOf({ id }: LiveOrder): OrderFacts | undefined {
    return this.#troubles.has(id) ? undefined : this.#known.get(id)?.facts;
  }
}

function toId({ id }: { id: string }): string {
  return id;
}
