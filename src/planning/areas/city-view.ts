// The planner's copy of the city, and the changes that its threads have not received yet. Full reads guarantee that it
// is complete; in between, reading only the orders named in notifications is much cheaper.
import type { Trouble } from '../../domain/upkeep/set-aside.ts';
import type { Instant } from '../../domain/time.ts';
import type { Platform } from '../../platform.ts';
import type { Database } from '../../store/database/database.ts';
import { listCouriersAtWork, type CourierAtWork } from '../../store/planning/couriers.ts';
import {
  listHolders,
  listLiveRevisions,
  listPlanningRestaurants,
  type PlanningRestaurant,
} from '../../store/planning/orders.ts';
import type { AreaNews, AreaCouriers } from './updates.ts';
import { findAreaOf, groupIntoAreas, type AreaMap } from './areas.ts';
import type { KnownOrder } from './describe-order.ts';
import { LiveOrders, type OrderChanges } from './live-orders.ts';

const RESTAURANTS_KEPT_MS = 10_000;

/** Per area. */
interface PendingChanges {
  changed: Set<string>;
  gone: Set<string>;
  hasCouriers: boolean;
}

export class CityView {
  readonly #deps: Pick<Platform, 'clock'> & { db: Database };
  readonly #liveOrders = new LiveOrders();
  #restaurants: readonly PlanningRestaurant[] = [];
  #areaMap: AreaMap = new Map();
  #restaurantsByArea: ReadonlyMap<string, readonly PlanningRestaurant[]> = new Map();
  #restaurantsReadAtMs = Number.NEGATIVE_INFINITY;
  /** Areas with something to plan, whichever node plans them. */
  #busy: ReadonlySet<string> = new Set();
  #couriers: readonly CourierAtWork[] = [];
  #onDuty: ReadonlySet<string> = new Set();
  #couriersByArea: ReadonlyMap<string | undefined, readonly CourierAtWork[]> = new Map();
  /** Pending changes of the areas whose previous state the threads have. */
  readonly #pending = new Map<string, PendingChanges>();
  #seenAt: Instant = 0;

  constructor(deps: Pick<Platform, 'clock'> & { db: Database }) {
    this.#deps = deps;
  }

  /** Reads everything in the areas that `choose` selects from those with something to plan. */
  async lookAtAll(choose: (busy: ReadonlySet<string>) => Promise<ReadonlySet<string>>): Promise<void> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    const listed = await listLiveRevisions(db);
    await this.#readRestaurants([...listed.keys()]);
    this.#busy = new Set([...listed.keys()].flatMap((id) => this.#areaMap.get(id) ?? []));
    const areaIds = await choose(this.#busy);
    const restaurantIds = [...this.#areaMap].flatMap(([id, areaId]) => (areaIds.has(areaId) ? [id] : []));
    const others = [...listed.keys()].filter((id) => !areaIds.has(this.#areaMap.get(id) ?? ''));
    const [changes, couriers, heldElsewhere] = await Promise.all([
      this.#liveOrders.readAll(db, { restaurantIds, listed, now }),
      areaIds.size === 0 ? [] : listCouriersAtWork(db, now),
      areaIds.size === 0 || others.length === 0 ? new Map<string, string>() : listHolders(db, others),
    ]);
    this.#note(changes, now);
    this.#couriers = couriers;
    this.#onDuty = new Set(couriers.map(({ id }) => id));
    this.#couriersByArea = this.#divideCouriers(heldElsewhere);
    for (const pending of this.#pending.values()) pending.hasCouriers = true;
  }

  /** Reads these orders and keeps the rest as last read. False if the result is inconsistent: a full read is needed. */
  async lookAt(orderIds: readonly string[]): Promise<boolean> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    const changes = await this.#liveOrders.readNamed(db, orderIds, now);
    this.#note(changes, now);
    // An area that had nothing to plan has no planner yet. Busy areas that are not ours are planned by other nodes.
    const isOfKnownAreas = changes.otherRestaurantIds.every((id) => this.#busy.has(this.#areaMap.get(id) ?? ''));
    // A courier who got an order since the last full read may also have come on duty since then.
    const isByKnownCouriers = changes.changed.every(
      ({ order: { courierId } }) => courierId === null || this.#onDuty.has(courierId),
    );
    return isOfKnownAreas && isByKnownCouriers;
  }

  /** Returns an area's pending changes and marks them as sent; undefined if there is no such area. */
  takeNews(areaId: string): AreaNews | undefined {
    const restaurants = this.#restaurantsByArea.get(areaId);
    if (restaurants === undefined) return undefined;
    const pending = this.#pending.get(areaId);
    this.#pending.set(areaId, { changed: new Set(), gone: new Set(), hasCouriers: false });
    const now = this.#seenAt;
    const couriers = this.#describeCouriers(areaId);
    if (pending === undefined) return { restaurants, orders: this.#listOrders(areaId), gone: [], couriers, now };
    const orders = [...pending.changed].flatMap((id) => this.#liveOrders.find(id) ?? []);
    return { restaurants: null, orders, gone: [...pending.gone], couriers: pending.hasCouriers ? couriers : null, now };
  }

  /** The next update of these areas will be complete. */
  forgetPending(areaIds: Iterable<string> = [...this.#pending.keys()]): void {
    for (const id of areaIds) this.#pending.delete(id);
  }

  /** Plans of these orders were recorded, perhaps after the orders had ended. */
  notePlanned(orderIds: readonly string[]): void {
    this.#liveOrders.notePlanned(orderIds);
  }

  /** Orders that are no longer live and may still have a plan, each returned once. */
  takeGone(): string[] {
    return this.#liveOrders.takeGone();
  }

  /** Orders that cannot be read and so are not planned. */
  listTroubles(): Trouble[] {
    return [...this.#liveOrders.troubles()];
  }

  async #readRestaurants(needed: readonly string[]): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs();
    const isFresh = nowMs - this.#restaurantsReadAtMs < RESTAURANTS_KEPT_MS;
    if (isFresh && needed.every((id) => this.#areaMap.has(id))) return;
    const restaurants = await listPlanningRestaurants(this.#deps.db);
    this.#restaurantsReadAtMs = nowMs;
    if (JSON.stringify(restaurants) === JSON.stringify(this.#restaurants)) return;
    this.#restaurants = restaurants;
    this.#areaMap = groupIntoAreas(restaurants);
    this.#restaurantsByArea = Map.groupBy(restaurants, ({ id }) => this.#areaMap.get(id) ?? id);
    // An order may belong to another area now.
    this.forgetPending();
  }

  #note({ changed, gone }: OrderChanges, now: Instant): void {
    this.#seenAt = now;
    for (const { order } of changed) {
      const pending = this.#pendingOf(order.restaurantId);
      pending?.changed.add(order.id);
      pending?.gone.delete(order.id);
    }
    for (const order of gone) {
      const pending = this.#pendingOf(order.restaurantId);
      pending?.changed.delete(order.id);
      pending?.gone.add(order.id);
    }
  }

  #pendingOf(restaurantId: string): PendingChanges | undefined {
    return this.#pending.get(this.#areaMap.get(restaurantId) ?? '');
  }

  #listOrders(areaId: string): KnownOrder[] {
    return [...this.#liveOrders.all()].filter(({ order }) => this.#areaMap.get(order.restaurantId) === areaId);
  }

  #describeCouriers(areaId: string): AreaCouriers {
    const here = this.#couriersByArea.get(areaId) ?? [];
    const ids = new Set(here.map(({ id }) => id));
    return { here, elsewhere: [...this.#onDuty].filter((id) => !ids.has(id)) };
  }

  /** By the area that plans each courier. `heldElsewhere`: the restaurant, by courier, of orders that others plan. */
  #divideCouriers(
    heldElsewhere: ReadonlyMap<string, string>,
  ): ReadonlyMap<string | undefined, readonly CourierAtWork[]> {
    const busyWith = new Map<string | null, string>(heldElsewhere);
    // A courier with orders of two areas is planned in one of them, and every node chooses the same one.
    for (const { order } of this.#liveOrders.all()) {
      const known = busyWith.get(order.courierId);
      if (known === undefined || order.restaurantId < known) busyWith.set(order.courierId, order.restaurantId);
    }
    return Map.groupBy(this.#couriers, ({ id, restaurantId, place, home }) =>
      findAreaOf({ restaurantId, place: place ?? home, busyWith: busyWith.get(id) }, this.#restaurants, this.#areaMap),
    );
  }
}
