// From what is stored about an order to what the planner asks: where, when the food is ready, when it is due.
import { OFFER_LIMIT_MS } from '../domain/courier.ts';
import { MINUTE_MS, type Instant } from '../domain/time.ts';
import type { LiveOrder, OrderFacts, PlanningRestaurant } from '../store/planning-orders.ts';
import type { WaitReason } from '../store/plans.ts';
import type { OrderToPlan } from './plan-request.ts';

/** Without a wish of the customer, food is to be at the door so long after it is ready. */
const USUAL_DELIVERY_MINUTES = 30;
/** The kitchen of an order for later begins so long before the window opens, besides the time it needs. */
const RIDE_MINUTES = 20;
/** Orders that are ready later than this are not planned yet: who will be where is not known. */
const HORIZON_MS = 90 * MINUTE_MS;

export type OrderDescription =
  | { kind: 'plannable'; order: OrderToPlan }
  | { kind: 'waiting'; reason: WaitReason; until: Instant | null };

export function describeOrder(
  live: LiveOrder,
  facts: OrderFacts,
  context: { restaurant: PlanningRestaurant; now: Instant },
): OrderDescription {
  const { restaurant, now } = context;
  const pickup = facts.pickup ?? restaurant.place;
  if (facts.dropoff === null) return { kind: 'waiting', reason: 'NO_DROPOFF_LOCATION', until: null };
  if (pickup === null) return { kind: 'waiting', reason: 'NO_PICKUP_LOCATION', until: null };
  const expectedAt = expectReady(facts, restaurant);
  // A kitchen that is late may be done at any moment.
  const readyAt = live.kitchenReadyAt ?? Math.max(expectedAt, now);
  const heldBy = isHeld(live, now) ? live.courierId : null;
  if (heldBy === null && readyAt > now + HORIZON_MS) {
    return { kind: 'waiting', reason: 'NOT_YET', until: readyAt - HORIZON_MS };
  }
  const deliveryMs = (facts.maxDeliveryMinutes ?? USUAL_DELIVERY_MINUTES) * MINUTE_MS;
  return {
    kind: 'plannable',
    order: {
      id: live.id,
      restaurantId: live.restaurantId,
      pickup,
      dropoff: facts.dropoff,
      readyAt,
      doorOpensAt: facts.wantedAt === null ? null : facts.windowStart,
      dueAt: facts.windowEnd ?? (live.kitchenReadyAt ?? expectedAt) + deliveryMs,
      bags: facts.bags,
      vehicles: facts.vehicles,
      canCombine: facts.canCombine,
      heldBy,
      isCarried: live.state === 'ON_DELIVERY',
      announcedTo: live.planned?.courierId ?? null,
      refusedBy: live.refusedBy,
      lockedTo: live.lockedTo,
      planned: live.planned,
    },
  };
}

function expectReady(facts: OrderFacts, restaurant: PlanningRestaurant): Instant {
  if (facts.readyAt !== null) return facts.readyAt;
  const prepMs = (facts.prepMinutes ?? restaurant.preparationMinutes) * MINUTE_MS;
  const soonest = facts.approvedAt + prepMs;
  if (facts.wantedAt === null || facts.windowStart === null) return soonest;
  return Math.max(soonest, facts.windowStart - RIDE_MINUTES * MINUTE_MS);
}

/** Accepted, or asked and still allowed to answer. */
function isHeld(live: LiveOrder, now: Instant): boolean {
  return live.courierId !== null && (live.acceptedAt !== null || !isLapsed(live, now));
}

export function isLapsed(live: LiveOrder, now: Instant): boolean {
  return live.acceptedAt === null && live.offeredAt !== null && now - live.offeredAt >= OFFER_LIMIT_MS;
}
