// The live orders of the areas that are planned here, kept in memory from round to round. A look at all of them is told
// their revisions and reads only what has changed; a look at a few reads these alone. Either says what is different.
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

/** As `listLiveRevisions` gives them. */
export type ListedRevisions = ReadonlyMap<string, string>;

export interface OrderChanges {
  /** Those that changed or came. */
  changed: KnownOrder[];
  /** As they were known last. */
  gone: LiveOrder[];
}

export interface NamedChanges extends OrderChanges {
  /** Restaurants that it does not look at, of orders that are to be planned. */
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

  /** Orders that it cannot read: they are not planned. */
  troubles(): Iterable<Trouble> {
    return this.#troubles.values();
  }

  /** Of these restaurants, whose revisions were listed a moment ago. */
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
    // What has changed and cannot be read any more was finished a moment ago.
    for (const id of old) if (!read.has(id)) live.delete(id);
    return this.#take(
      [...read.values()],
      [...this.#known.keys()].filter((id) => !live.has(id)),
    );
  }

  /** Reads those named, of the restaurants that it looked at last; the others are as they were. */
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

  /** Those that it had and that are there no more, each told once. */
  takeGone(): string[] {
    return this.#gone.splice(0);
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
    // A refusal ends with time, without a change of the order.
    return order.refusedBy.length > 0;
  }

  /** The content of an order is long: it is read again only after the order itself has changed. */
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

  /** None where the last ones could not be read: those from before do not hold any longer. */
  #factsOf({ id }: LiveOrder): OrderFacts | undefined {
    return this.#troubles.has(id) ? undefined : this.#known.get(id)?.facts;
  }
}

function toId({ id }: { id: string }): string {
  return id;
}
