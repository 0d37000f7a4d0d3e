// What a plan was made from, as texts that can be compared: the same again needs no new plan.
import { isDark } from '../domain/courier.ts';
import type { LiveOrder, OrderFacts } from '../store/planning-orders.ts';
import type { AreaNow } from './area-round.ts';

export interface Fingerprint {
  /** Orders, one by one, and couriers but for where they are. */
  duties: readonly string[];
  /** Where couriers are. It changes all the time, and a plan need not follow every step. */
  places: readonly string[];
}

export function fingerprintOf({ orders, facts, couriers, now }: AreaNow): Fingerprint {
  // When a courier was heard of last changes all the time too; whether they can be reached is what counts.
  const signs = couriers.map((courier) => ({
    ...courier,
    reportedAt: null,
    place: null,
    isDark: isDark(courier, now),
  }));
  return {
    duties: [...orders.map((order) => describe(order, facts.get(order.id))), JSON.stringify(signs)],
    places: couriers.map(({ place }) => (place === null ? '' : `${place.latitude},${place.longitude}`)),
  };
}

/** Texts of orders that have not changed are the very same values, so that this is quick where it says yes. */
export function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

const written = new WeakMap<LiveOrder, string>();

/** An order that has not changed is the same value as before, and its text is written once. */
function describe(order: LiveOrder, facts: OrderFacts | undefined): string {
  const known = written.get(order);
  if (known !== undefined) return known;
  // Without what the planner changes itself: whether it is routed, its place in the plan, and so its revision.
  const { id, state, courierId, offeredAt, acceptedAt, kitchenReadyAt, refusedBy, lockedTo } = order;
  const text = JSON.stringify([
    [id, state === 'ON_DELIVERY', courierId, offeredAt, acceptedAt, kitchenReadyAt, refusedBy, lockedTo],
    facts,
  ]);
  written.set(order, text);
  return text;
}
