// Converts a stored order to the planner's input: where, when the food is ready, and when it is due.
import { dueTimeOf, expectReady, RIDE_MINUTES } from '../../domain/orders/due-time.ts';
import { isOfferOver } from '../../domain/orders/offer-time.ts';
import { MINUTE_MS, type Instant } from '../../domain/time.ts';
import type { WaitReason } from '../../domain/planning/wait-reasons.ts';
import type { LiveOrder, OrderFacts, PlanningRestaurant } from '../../store/planning/orders.ts';
import type { OrderToPlan } from './plan-request.ts';

/** Orders that are ready later than this are not planned yet: no one knows where couriers will be. */
const HORIZON_MS = 90 * MINUTE_MS;
/** How long before an order's deadline couriers are asked at the latest: time to ask several, one after another. */
const LATEST_OFFER_MS = 10 * MINUTE_MS;

export interface KnownOrder {
  order: LiveOrder;
  /** As of the order's revision or later; read again after the order has changed. */
  facts: OrderFacts | undefined;
}

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
  const expectedAt = expectReady(facts, restaurant.preparationMinutes);
  // A late kitchen may finish at any moment.
  const readyAt = live.kitchenReadyAt ?? Math.max(expectedAt, now);
  const heldBy = isHeld(live, now) ? live.courierId : null;
  const dropoffFrom = facts.wantedAt === null ? null : facts.windowStart;
  // Food that is ready long before its window waits in the kitchen instead of with a courier at the door.
  const fetchedFrom = Math.max(readyAt, (dropoffFrom ?? now) - RIDE_MINUTES * MINUTE_MS);
  const plannedFrom = Math.min(fetchedFrom - HORIZON_MS, latestOfferTimeOf(live));
  if (heldBy === null && plannedFrom > now) return { kind: 'waiting', reason: 'NOT_YET', until: plannedFrom };
  return {
    kind: 'plannable',
    order: {
      id: live.id,
      restaurantId: live.restaurantId,
      pickup,
      dropoff: facts.dropoff,
      readyAt,
      dropoffFrom,
      dueAt: dueTimeOf(facts, live.kitchenReadyAt ?? expectedAt),
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

/** The latest time to ask a courier, even if the food takes longer: an accepted order does not get canceled. */
export function latestOfferTimeOf({ deadlineAt }: Pick<LiveOrder, 'deadlineAt'>): Instant {
  return deadlineAt === null ? Infinity : deadlineAt - LATEST_OFFER_MS;
}

/** Accepted, or offered and not yet expired. */
function isHeld(live: LiveOrder, now: Instant): boolean {
  return live.courierId !== null && (live.acceptedAt !== null || !isOfferExpired(live, now));
}

export function isOfferExpired(live: LiveOrder, now: Instant): boolean {
  return live.acceptedAt === null && live.offeredAt !== null && isOfferOver(live.offeredAt, now);
}
