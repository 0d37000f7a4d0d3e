// An area is a cluster of nearby restaurants with the couriers who work there. Areas are planned independently. Every
// node computes them from the same table, with the same result.
import { distanceMeters, type Place } from '../../domain/geo.ts';
import type { PlanningRestaurant } from '../../store/planning/orders.ts';

/** Restaurants within this distance share couriers, directly or through others between them. */
const REACH_METERS = 15_000;
/** Degrees of latitude. A cell needs more degrees of longitude toward the poles, up to where no one delivers. */
const CELL_DEGREES = REACH_METERS / 111_000;

/** The area of each restaurant. An area's id is the smallest id of its restaurants. */
export type AreaMap = ReadonlyMap<string, string>;

export function groupIntoAreas(restaurants: readonly PlanningRestaurant[]): AreaMap {
  const parent = new Map(restaurants.map(({ id }) => [id, id]));
  const find = (id: string): string => {
    const above = parent.get(id) ?? id;
    if (above === id) return id;
    const root = find(above);
    parent.set(id, root);
    return root;
  };
  const join = (one: string, other: string): void => {
    const [low = one, high = other] = [find(one), find(other)].toSorted();
    parent.set(high, low);
  };
  const cells = new Map<string, { id: string; place: Place }[]>();
  for (const { id, place } of restaurants) {
    if (place === null) continue;
    for (const key of cellsAround(place)) {
      for (const near of cells.get(key) ?? []) if (distanceMeters(near.place, place) <= REACH_METERS) join(near.id, id);
    }
    const key = cellOf(place, 0, 0);
    cells.set(key, [...(cells.get(key) ?? []), { id, place }]);
  }
  return new Map(restaurants.map(({ id }) => [id, find(id)]));
}

function cellsAround(place: Place): string[] {
  const steps = [-1, 0, 1];
  return steps.flatMap((north) => steps.map((east) => cellOf(place, north, east)));
}

function cellOf(place: Place, north: number, east: number): string {
  const row = Math.floor(place.latitude / CELL_DEGREES) + north;
  // All cells of one row have the same width: the reach, in degrees at the row's edge nearest to the pole.
  const poleward = Math.min(85, (Math.abs(row) + 2) * CELL_DEGREES);
  const width = CELL_DEGREES / Math.cos((poleward * Math.PI) / 180);
  return `${row}:${Math.floor(place.longitude / width) + east}`;
}

export interface CourierSeeker {
  restaurantId: string | null;
  place: Place | null;
  /** The restaurant of an order that the courier has accepted or has an offer for. */
  busyWith: string | undefined;
}

/** The area of the courier's orders, else of their restaurant, else of the nearest restaurant. */
export function findAreaOf(
  courier: CourierSeeker,
  restaurants: readonly PlanningRestaurant[],
  areas: AreaMap,
): string | undefined {
  const tied = courier.busyWith ?? courier.restaurantId;
  if (tied !== null) return areas.get(tied);
  const nearest = courier.place === null ? restaurants[0] : findNearest(courier.place, restaurants);
  return nearest && areas.get(nearest.id);
}

function findNearest(from: Place, restaurants: readonly PlanningRestaurant[]): PlanningRestaurant | undefined {
  const narrowing = Math.cos((from.latitude * Math.PI) / 180);
  let best: PlanningRestaurant | undefined;
  let bestDistance = Infinity;
  for (const restaurant of restaurants) {
    if (restaurant.place === null) continue;
    const north = restaurant.place.latitude - from.latitude;
    const east = (restaurant.place.longitude - from.longitude) * narrowing;
    const distance = north * north + east * east;
    if (distance >= bestDistance) continue;
    best = restaurant;
    bestDistance = distance;
  }
  return best ?? restaurants[0];
}
