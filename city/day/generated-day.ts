// A synthetic day: two meal peaks, restaurants in clusters, and courier shifts that match the load. The same seed gives
// the same day.
import type { Vehicle } from '../../src/domain/couriers/courier.ts';
import type { Place } from '../../src/domain/geo.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/time.ts';
import { createChance, type Chance } from '../../harness/chance.ts';
import type { Cancellation, CityCourier, CityDay, CityOrder, CityRestaurant } from './day.ts';
import { moveMeters } from './map.ts';
import { COURIER_NAMES, RESTAURANT_NAMES } from './names.ts';

export interface GeneratedDayOptions {
  seed: number;
  orders: number;
  /** The orders are placed within this many hours. */
  hours: number;
}

const OPENS_AT_MINUTE = 11 * 60;
// Kadıköy, on the Asian side of Istanbul, and the surrounding districts.
const CITY_CENTER: Place = { latitude: 40.985, longitude: 29.045 };
const CLUSTER_SPREAD_METERS = 2_200;
const RESTAURANT_SPREAD_METERS = 350;
const DROPOFF_SPREAD_METERS = 1_500;
const ORDERS_PER_RESTAURANT = 20;

/** Middle and width of each meal peak as shares of the day, and its share of the orders. The rest comes at any time. */
const MEALS = [
  { middle: 0.18, width: 0.06, share: 0.35 },
  { middle: 0.82, width: 0.08, share: 0.5 },
];

const SHIFT_MS = 4 * HOUR_MS;
const STEP_MS = 30 * MINUTE_MS;
/** Courier time per order during a rush, when some orders share a trip. */
const COURIER_MS_PER_ORDER = 20 * MINUTE_MS;
/** Couriers cover only this share of a short rush; the rest may wait a little. */
const RUSH_SHARE = 0.75;
/** Couriers stay on duty long enough to deliver the last order. */
const AFTER_LAST_ORDER_MS = 75 * MINUTE_MS;
const MIN_COURIERS = 3;

export function generateDay(options: GeneratedDayOptions): CityDay {
  const chance = createChance(options.seed);
  const dayMs = options.hours * HOUR_MS;
  const restaurants = makeRestaurants(chance, Math.max(3, Math.round(options.orders / ORDERS_PER_RESTAURANT)));
  const orders = makeOrders(chance, options, restaurants);
  const minute = { arrivingMs: MINUTE_MS, leavingMs: MINUTE_MS };
  return {
    name: `a generated day of ${options.orders} orders, seed ${options.seed}`,
    opensAtMinute: OPENS_AT_MINUTE,
    restaurants,
    orders,
    couriers: makeCouriers(chance, orders, dayMs),
    stops: { pickup: minute, dropoff: minute },
  };
}

function makeRestaurants(chance: Chance, count: number): CityRestaurant[] {
  const clusters = Array.from({ length: Math.min(5, Math.ceil(count / 4)) }, () =>
    scatter(chance, CITY_CENTER, CLUSTER_SPREAD_METERS),
  );
  return Array.from({ length: count }, (_, index) => ({
    name: nameOf(RESTAURANT_NAMES, index),
    place: scatter(chance, chance.pick(clusters), RESTAURANT_SPREAD_METERS),
    approval: chance.isTrue(0.7) ? 'auto' : 'cook',
  }));
}

function makeOrders(
  chance: Chance,
  { orders, hours }: GeneratedDayOptions,
  restaurants: readonly CityRestaurant[],
): CityOrder[] {
  // Weighted, because some restaurants are more popular than others.
  const popular = restaurants.flatMap((_, index) => Array.from({ length: 1 + chance.below(4) }, () => index));
  const times = Array.from({ length: orders }, () => Math.floor(drawMoment(chance) * hours * HOUR_MS));
  return times
    .toSorted((a, b) => a - b)
    .map((placedAtMs, index) => {
      const restaurant = chance.pick(popular);
      const { place = CITY_CENTER } = restaurants[restaurant] ?? {};
      const prepMinutes = 8 + chance.below(12);
      const cookingMs = Math.round(prepMinutes * MINUTE_MS * Math.max(0.6, 1 + 0.2 * drawNormal(chance)));
      return {
        id: `CITY-${String(index + 1).padStart(4, '0')}`,
        restaurant,
        placedAtMs,
        dropoff: scatter(chance, place, DROPOFF_SPREAD_METERS),
        bags: chance.isTrue(0.12) ? 2 : 1,
        prepMinutes,
        approvedAfterMs: between(chance, 10, 90) * SECOND_MS,
        cookingMs,
        cancellation: drawCancellation(chance, cookingMs),
      };
    });
}

function drawCancellation(chance: Chance, cookingMs: number): Cancellation | null {
  const kind = chance.below(1_000);
  if (kind < 20) {
    const reasonId = chance.pick(['CUSTOMER_REQUEST', 'OUT_OF_STOCK'] as const);
    return { by: 'restaurant', afterMs: Math.floor((cookingMs * between(chance, 10, 80)) / 100), reasonId };
  }
  return kind < 26 ? { by: 'courier', reasonId: 'CUSTOMER_NOT_AVAILABLE' } : null;
}

/** The time of an order as a share of the day, from 0 to 1. */
function drawMoment(chance: Chance): number {
  let share = chance.below(1_000) / 1_000;
  for (const meal of MEALS) {
    share -= meal.share;
    if (share < 0) return Math.min(0.99, Math.max(0, meal.middle + meal.width * drawNormal(chance)));
  }
  return chance.below(1_000) / 1_000;
}

/** Goes through the day by half hours and adds shifts until there are enough couriers for the orders of that time. */
function makeCouriers(chance: Chance, orders: readonly CityOrder[], dayMs: number): CityCourier[] {
  const couriers: CityCourier[] = [];
  const endMs = dayMs + AFTER_LAST_ORDER_MS;
  const countFrom = (fromMs: number): number =>
    orders.filter(({ placedAtMs }) => placedAtMs >= fromMs && placedAtMs < fromMs + STEP_MS).length;
  for (let fromMs = 0; fromMs < endMs; fromMs += STEP_MS) {
    const [before, own, after] = [countFrom(fromMs - STEP_MS), countFrom(fromMs), countFrom(fromMs + STEP_MS)];
    const wanted = Math.max(RUSH_SHARE * own, (before + own + after) / 3);
    const needed = Math.max(MIN_COURIERS, Math.ceil((wanted * COURIER_MS_PER_ORDER) / STEP_MS));
    const toMs = Math.min(endMs, fromMs + STEP_MS);
    const present = couriers.filter(({ offAtMs }) => offAtMs >= toMs).length;
    for (let missing = needed - present; missing > 0; missing -= 1) {
      couriers.push(makeCourier(chance, couriers.length, { fromMs, endMs }));
    }
  }
  return couriers;
}

function makeCourier(chance: Chance, index: number, { fromMs, endMs }: { fromMs: number; endMs: number }): CityCourier {
  const vehicle = chance.pick<Vehicle>(['BICYCLE', 'BICYCLE', 'MOTORCYCLE', 'MOTORCYCLE', 'MOTORCYCLE', 'CAR']);
  // Shifts do not all start at the same minute.
  const onAtMs = Math.max(0, fromMs - chance.below(15) * MINUTE_MS);
  // With less than two shifts left, this one lasts to the end, so that none starts just before it.
  const offAtMs = endMs - fromMs < 2 * SHIFT_MS ? endMs : onAtMs + SHIFT_MS;
  const darkFromMs = onAtMs + Math.floor(((offAtMs - onAtMs) * between(chance, 20, 70)) / 100);
  return {
    name: nameOf(COURIER_NAMES, index),
    vehicle,
    capacity: vehicle === 'BICYCLE' ? 3 : 4,
    home: scatter(chance, CITY_CENTER, CLUSTER_SPREAD_METERS),
    onAtMs,
    offAtMs: Math.min(endMs, offAtMs),
    declineShare: between(chance, 1, 8) / 100,
    dark: chance.isTrue(0.15) ? { fromMs: darkFromMs, toMs: darkFromMs + between(chance, 200, 360) * SECOND_MS } : null,
  };
}

function nameOf(names: readonly string[], index: number): string {
  const round = Math.floor(index / names.length);
  const name = names[index % names.length] ?? '';
  return round === 0 ? name : `${name} ${round + 1}`;
}

function scatter(chance: Chance, around: Place, spreadMeters: number): Place {
  return moveMeters(around, { east: spreadMeters * drawNormal(chance), north: spreadMeters * drawNormal(chance) });
}

function between(chance: Chance, least: number, most: number): number {
  return least + chance.below(most - least + 1);
}

/** Approximately normal with standard deviation 1, cut off at 3. */
function drawNormal(chance: Chance): number {
  let sum = 0;
  for (let draw = 0; draw < 12; draw += 1) sum += chance.below(10_000) / 10_000;
  return Math.min(3, Math.max(-3, sum - 6));
}
