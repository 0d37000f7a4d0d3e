// The input of a plan as comparable strings: identical input needs no new plan.
import { isOutOfContact } from '../../domain/couriers/courier.ts';
import type { Instant } from '../../domain/time.ts';
import type { CourierAtWork } from '../../store/planning/couriers.ts';
import type { LiveOrder } from '../../store/planning/orders.ts';
import type { KnownOrder } from './describe-order.ts';

export interface CouriersFingerprint {
  /** Everything except their positions. */
  duties: string;
  /** Their positions, which change all the time; a plan need not follow every step. */
  places: string;
}

export function fingerprintCouriers(couriers: readonly CourierAtWork[], now: Instant): CouriersFingerprint {
  let duties = '';
  let places = '';
  for (const courier of couriers) {
    const texts = courierTexts.get(courier) ?? describeCourier(courier);
    // The time of the last report also changes all the time; only whether the courier is in contact matters.
    duties += isOutOfContact(courier, now) ? `${texts.duties} dark` : texts.duties;
    places += texts.places;
  }
  return { duties, places };
}

// Unchanged items stay the same object, so each is serialized once.
const courierTexts = new WeakMap<CourierAtWork, CouriersFingerprint>();
const orderTexts = new WeakMap<LiveOrder, string>();

function describeCourier(courier: CourierAtWork): CouriersFingerprint {
  const { place, reportedAt: _, ...duties } = courier;
  const texts = { duties: JSON.stringify(duties), places: JSON.stringify(place) };
  courierTexts.set(courier, texts);
  return texts;
}

export function fingerprintOrder({ order, facts }: KnownOrder): string {
  const known = orderTexts.get(order);
  if (known !== undefined) return known;
  // Without what the planner itself changes: whether the order is routed, its place in the plan, and thus its revision.
  const { id, state, courierId, offeredAt, acceptedAt, kitchenReadyAt, refusedBy, lockedTo } = order;
  const text = JSON.stringify([
    [id, state === 'ON_DELIVERY', courierId, offeredAt, acceptedAt, kitchenReadyAt, refusedBy, lockedTo],
    facts,
  ]);
  orderTexts.set(order, text);
  return text;
}
