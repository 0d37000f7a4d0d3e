// The part of a large area that a small change affects: the couriers who could take the new orders, with all their
// work. Planning only this part costs the same in any city; everything else keeps its place until the next full plan.
import type { Place } from '../../domain/geo.ts';
import type { AreaSnapshot } from './round.ts';
import type { KnownOrder } from './describe-order.ts';
import { fingerprintOrder } from './fingerprint.ts';

/** In a smaller area there is little to leave out. */
const MIN_ORDERS = 150;
const MAX_CHANGES = 8;
/** For each new order: couriers nearest to it now, couriers with stops near it, and idle couriers farther away. */
const NEAR_COURIERS = 16;
const NEAR_ORDERS = 24;
const IDLE_COURIERS = 4;

/** What has happened to an area's orders since its last plan, except for what the planner itself has written. */
export class OrderNews {
  readonly #orderIds = new Set<string>();
  readonly #courierIds = new Set<string>();
  #isEmpty = true;

  /** Undefined: the order did not exist before, or is no longer live. */
  note(before: KnownOrder | undefined, after: KnownOrder | undefined): void {
    const isSame = before && after ? fingerprintOrder(before) === fingerprintOrder(after) : before === after;
    if (isSame) return;
    this.#isEmpty = false;
    if (after !== undefined) this.#orderIds.add(after.order.id);
    else if (before !== undefined) this.#orderIds.delete(before.order.id);
    for (const known of [before, after]) {
      if (known === undefined) continue;
      const { courierId, planned } = known.order;
      if (courierId !== null) this.#courierIds.add(courierId);
      if (planned !== null) this.#courierIds.add(planned.courierId);
    }
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** New and changed orders that are still live. */
  get orderIds(): ReadonlySet<string> {
    return this.#orderIds;
  }

  /** Couriers whose orders were added, changed or removed. */
  get courierIds(): ReadonlySet<string> {
    return this.#courierIds;
  }

  clear(): void {
    this.#orderIds.clear();
    this.#courierIds.clear();
    this.#isEmpty = true;
  }
}

/** Undefined if the part would be most of the area. `yieldPoint` is called between small steps. */
export function findPart(
  area: AreaSnapshot,
  news: Pick<OrderNews, 'orderIds' | 'courierIds'>,
  yieldPoint: () => void,
): AreaSnapshot | undefined {
  const { orderIds, courierIds } = news;
  if (area.orders.length < MIN_ORDERS || orderIds.size > MAX_CHANGES) return undefined;
  const chosen = new Set(courierIds);
  for (const id of orderIds) {
    const known = area.byId.get(id);
    if (known !== undefined && known.order.courierId === null) addNear(area, { known, chosen, yieldPoint });
  }
  const orders = area.orders.filter((known) => orderIds.has(known.order.id) || chosen.has(courierOf(known)));
  if (orders.length > area.orders.length / 2) return undefined;
  yieldPoint();
  return { ...area, orders, couriers: area.couriers.filter(({ id }) => chosen.has(id)) };
}

/** The courier who holds it or is planned for it; empty if there is none. */
function courierOf({ order }: KnownOrder): string {
  return order.courierId ?? order.planned?.courierId ?? '';
}

interface Search {
  known: KnownOrder;
  /** The couriers found so far; the search adds to it. */
  chosen: Set<string>;
  yieldPoint: () => void;
}

function addNear(area: AreaSnapshot, { known, chosen, yieldPoint }: Search): void {
  const { order } = known;
  const from = pickupOf(area, known);
  if (order.lockedTo !== null) chosen.add(order.lockedTo);
  if (from === null) return;
  const distanceTo = measureFrom(from);
  const busy = new Set<string>();
  const nearOrders = new Nearest(NEAR_ORDERS);
  for (const other of area.orders) {
    const courierId = courierOf(other);
    if (courierId === '') continue;
    busy.add(courierId);
    nearOrders.offer(courierId, distanceTo(pickupOf(area, other)));
    nearOrders.offer(courierId, distanceTo(other.facts?.dropoff ?? null));
  }
  yieldPoint();
  const near = new Nearest(NEAR_COURIERS);
  const idle = new Nearest(IDLE_COURIERS);
  for (const { id, restaurantId, place, home } of area.couriers) {
    if (restaurantId !== null && restaurantId !== order.restaurantId) continue;
    const distance = distanceTo(place ?? home ?? area.restaurants.get(restaurantId ?? '')?.place ?? null);
    near.offer(id, distance);
    if (!busy.has(id)) idle.offer(id, distance);
  }
  yieldPoint();
  for (const nearest of [nearOrders, near, idle]) for (const id of nearest.ids) chosen.add(id);
}

function pickupOf(area: AreaSnapshot, { order, facts }: KnownOrder): Place | null {
  return facts?.pickup ?? area.restaurants.get(order.restaurantId)?.place ?? null;
}

/** For comparisons only: squared degrees on a flat map. An unknown place is infinitely far and displaces no other. */
function measureFrom(from: Place): (to: Place | null) => number {
  const narrowing = Math.cos((from.latitude * Math.PI) / 180);
  return (to) => {
    if (to === null) return Infinity;
    const north = to.latitude - from.latitude;
    const east = (to.longitude - from.longitude) * narrowing;
    return north * north + east * east;
  };
}

/** Keeps the nearest few of many: sorting all of them would cost more than anything else here. */
class Nearest {
  readonly ids: string[] = [];
  readonly #distances: number[] = [];
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  offer(id: string, distance: number): void {
    const distances = this.#distances;
    if (distances.length === this.#count) {
      if (distance >= (distances[this.#count - 1] ?? 0)) return;
      distances.pop();
      this.ids.pop();
    }
    let at = distances.length;
    while (at > 0 && (distances[at - 1] ?? 0) > distance) at--;
    distances.splice(at, 0, distance);
    this.ids.splice(at, 0, id);
  }
}
