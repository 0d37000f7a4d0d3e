// How long a question to a courier stands. Decided here for whoever asked: planner, restaurant or operator.
import { OFFER_GRACE_MS, OFFER_LIMIT_MS } from '../couriers/courier.ts';
import type { Instant } from '../time.ts';

/** What is asked of an order here. Its own type would need this file in turn. */
interface Offered {
  state: string;
  courierId: string | null;
  courierOfferedAt: Instant | null;
  courierAcceptedAt: Instant | null;
}

export function isAwaitingAnswer(order: Offered): boolean {
  const isOffered = order.state === 'ASSIGNED' || order.state === 'PREPARED';
  return isOffered && order.courierId !== null && order.courierAcceptedAt === null;
}

export function isTooLateToAccept(order: Offered, now: Instant): boolean {
  return isLapsed(order, now - OFFER_GRACE_MS);
}

/** Where no planner takes back what nobody answered, whoever is asked once more has a new offer. */
export function isWithCourier(order: Offered, courierId: string, now: Instant): boolean {
  return order.courierId === courierId && order.state !== 'CANCELED' && !isLapsed(order, now);
}

function isLapsed(order: Offered, now: Instant): boolean {
  return isAwaitingAnswer(order) && order.courierOfferedAt !== null && isOfferOver(order.courierOfferedAt, now);
}

export function isOfferOver(offeredAt: Instant, now: Instant): boolean {
  return now - offeredAt >= OFFER_LIMIT_MS;
}
