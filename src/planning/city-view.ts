// What the planner sees of the city. A look at everything is the truth; in between, a look at a few orders whose change
// was told is much cheaper, and everything else is as it was seen last.
import type { Instant } from '../domain/time.ts';
import type { Platform } from '../platform.ts';
import type { Database } from '../store/database.ts';
import { listCouriersAtWork, type CourierAtWork } from '../store/planning-couriers.ts';
import { listBusyRestaurantIds, listPlanningRestaurants, type PlanningRestaurant } from '../store/planning-orders.ts';
import type { AreaNow } from './area-round.ts';
import { findAreaOf, groupIntoAreas, type AreaMap } from './areas.ts';
import { LiveOrders, type OrdersNow } from './live-orders.ts';

const RESTAURANTS_KEPT_MS = 10_000;

export type AreasNow = ReadonlyMap<string, AreaNow>;

export class CityView {
  readonly #deps: Pick<Platform, 'clock'> & { db: Database };
  readonly #liveOrders = new LiveOrders();
  #restaurants: readonly PlanningRestaurant[] = [];
  #areaMap: AreaMap = new Map();
  #restaurantsByArea: ReadonlyMap<string, AreaNow['restaurants']> = new Map();
  #restaurantsReadAtMs = Number.NEGATIVE_INFINITY;
  #couriers: readonly CourierAtWork[] = [];
  #onDuty: ReadonlySet<string> = new Set();

  constructor(deps: Pick<Platform, 'clock'> & { db: Database }) {
    this.#deps = deps;
  }

  /** Areas with something to plan. */
  async listBusyAreas(): Promise<ReadonlySet<string>> {
    const busy = await listBusyRestaurantIds(this.#deps.db);
    await this.#readRestaurants(busy);
    return new Set(busy.flatMap((id) => this.#areaMap.get(id) ?? []));
  }

  /** Everything in these areas. */
  async lookAtAll(areaIds: ReadonlySet<string>): Promise<AreasNow> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    const restaurantIds = [...this.#areaMap].flatMap(([id, areaId]) => (areaIds.has(areaId) ? [id] : []));
    const [orders, couriers] = await Promise.all([
      this.#liveOrders.readAll(db, restaurantIds, now),
      areaIds.size === 0 ? [] : listCouriersAtWork(db, now),
    ]);
    this.#couriers = couriers;
    this.#onDuty = new Set(couriers.map(({ id }) => id));
    return this.#divide(orders, now);
  }

  /** These orders, and the rest as it was seen last; undefined where that does not go together. */
  async lookAt(orderIds: readonly string[]): Promise<AreasNow | undefined> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    const seen = await this.#liveOrders.readNamed(db, orderIds, now);
    const named = new Set(orderIds);
    // Whoever was given an order since then may have come on duty since then, too.
    const isKnown = (courierId: string | null): boolean => courierId === null || this.#onDuty.has(courierId);
    if (!seen.orders.every(({ id, courierId }) => !named.has(id) || isKnown(courierId))) return undefined;
    return this.#divide(seen, now);
  }

  /** Orders that it saw and that are there no more, each told once. */
  takeGone(): string[] {
    return this.#liveOrders.takeGone();
  }

  async #readRestaurants(needed: readonly string[]): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs();
    const isFresh = nowMs - this.#restaurantsReadAtMs < RESTAURANTS_KEPT_MS;
    if (isFresh && needed.every((id) => this.#areaMap.has(id))) return;
    this.#restaurants = await listPlanningRestaurants(this.#deps.db);
    this.#areaMap = groupIntoAreas(this.#restaurants);
    const byArea = Map.groupBy(this.#restaurants, ({ id }) => this.#areaMap.get(id) ?? id);
    this.#restaurantsByArea = new Map(
      [...byArea].map(([areaId, restaurants]) => [areaId, new Map(restaurants.map((one) => [one.id, one]))]),
    );
    this.#restaurantsReadAtMs = nowMs;
  }

  #divide({ orders, facts }: OrdersNow, now: Instant): AreasNow {
    const busyWith = new Map<string | null, string>();
    for (const { courierId, restaurantId } of orders)
      if (!busyWith.has(courierId)) busyWith.set(courierId, restaurantId);
    const couriersByArea = Map.groupBy(this.#couriers, (courier) =>
      findAreaOf(
        {
          restaurantId: courier.restaurantId,
          place: courier.place ?? courier.home,
          busyWith: busyWith.get(courier.id),
        },
        this.#restaurants,
        this.#areaMap,
      ),
    );
    const ordersByArea = Map.groupBy(orders, (order) => this.#areaMap.get(order.restaurantId));
    return new Map(
      [...this.#restaurantsByArea].map(([areaId, restaurants]) => [
        areaId,
        {
          now,
          orders: ordersByArea.get(areaId) ?? [],
          facts,
          restaurants,
          couriers: couriersByArea.get(areaId) ?? [],
          onDuty: this.#onDuty,
        },
      ]),
    );
  }
}
