// How long an offer to a courier is valid, whether it came from the planner, the restaurant or the operator.
import { OFFER_GRACE_MS, OFFER_LIMIT_MS } from '../couriers/courier.ts';
import type { Instant } from '../time.ts';

/** The order fields used here. Importing the order's own type would make a cycle. */
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
  return isOfferExpired(order, now - OFFER_GRACE_MS);
}

/** An expired offer does not count: without a planner to withdraw it, a repeated offer must be a new one. */
export function isWithCourier(order: Offered, courierId: string, now: Instant): boolean {
  return order.courierId === courierId && order.state !== 'CANCELED' && !isOfferExpired(order, now);
}

function isOfferExpired(order: Offered, now: Instant): boolean {
  return isAwaitingAnswer(order) && order.courierOfferedAt !== null && isOfferOver(order.courierOfferedAt, now);
}

export function isOfferOver(offeredAt: Instant, now: Instant): boolean {
  return now - offeredAt >= OFFER_LIMIT_MS;
}
