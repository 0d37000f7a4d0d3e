// From what is stored about an order to what the planner asks: where, when the food is ready, when it is due.
import { dueTimeOf, expectReady, RIDE_MINUTES } from '../../domain/orders/due-time.ts';
import { isOfferOver } from '../../domain/orders/offer-time.ts';
import { MINUTE_MS, type Instant } from '../../domain/time.ts';
import type { WaitReason } from '../../domain/planning/wait-reasons.ts';
import type { LiveOrder, OrderFacts, PlanningRestaurant } from '../../store/planning/orders.ts';
import type { OrderToPlan } from './plan-request.ts';

/** Orders that are ready later than this are not planned yet: who will be where is not known. */
const HORIZON_MS = 90 * MINUTE_MS;
/** Before the System gives an order up, there is so long left to ask couriers, one after another. */
const LAST_CALL_MS = 10 * MINUTE_MS;

export interface KnownOrder {
  order: LiveOrder;
  /** As they were when the order had its revision, or after that: what changed meanwhile is read again. */
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
  // A kitchen that is late may be done at any moment.
  const readyAt = live.kitchenReadyAt ?? Math.max(expectedAt, now);
  const heldBy = isHeld(live, now) ? live.courierId : null;
  const doorOpensAt = facts.wantedAt === null ? null : facts.windowStart;
  // Food that is ready long before its window waits in the kitchen, not with a courier at the door.
  const fetchedFrom = Math.max(readyAt, (doorOpensAt ?? now) - RIDE_MINUTES * MINUTE_MS);
  const plannedFrom = Math.min(fetchedFrom - HORIZON_MS, lastCallOf(live));
  if (heldBy === null && plannedFrom > now) return { kind: 'waiting', reason: 'NOT_YET', until: plannedFrom };
  return {
    kind: 'plannable',
    order: {
      id: live.id,
      restaurantId: live.restaurantId,
      pickup,
      dropoff: facts.dropoff,
      readyAt,
      doorOpensAt,
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

/** When its courier is asked at the latest, however long the food takes: whoever accepts saves it from being canceled. */
export function lastCallOf({ deadlineAt }: Pick<LiveOrder, 'deadlineAt'>): Instant {
  return deadlineAt === null ? Infinity : deadlineAt - LAST_CALL_MS;
}

/** Accepted, or asked and still allowed to answer. */
function isHeld(live: LiveOrder, now: Instant): boolean {
  return live.courierId !== null && (live.acceptedAt !== null || !isLapsed(live, now));
}

export function isLapsed(live: LiveOrder, now: Instant): boolean {
  return live.acceptedAt === null && live.offeredAt !== null && isOfferOver(live.offeredAt, now);
}
