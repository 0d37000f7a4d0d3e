// One round of one area: read the state, withdraw unanswered offers, plan, and list the commands that are due.
import type { ChangeRequest } from '../../actions/orders/change-order.ts';
import { isOutOfContact, OFFER_LIMIT_MS } from '../../domain/couriers/courier.ts';
import type { Place } from '../../domain/geo.ts';
import type { Actor, Command } from '../../domain/orders/order.ts';
import type { PlannerAlarmKind } from '../../domain/planning/alarms.ts';
import { describeDuration, MINUTE_MS, SECOND_MS, type Instant } from '../../domain/time.ts';
import type { WaitReason } from '../../domain/planning/wait-reasons.ts';
import type { CourierAtWork } from '../../store/planning/couriers.ts';
import type { LiveOrder, PlanningRestaurant } from '../../store/planning/orders.ts';
import { describeOrder, isOfferExpired, latestOfferTimeOf, type KnownOrder } from './describe-order.ts';
import type { CourierToPlan, OrderReason, OrderToPlan, PlannedOrder, PlanRequest } from './plan-request.ts';

const PLANNER: Actor = { role: 'planner' };

/** How long before departure an offer is sent: time for one courier to answer and for another one to be asked. */
const OFFER_LEAD_MS = OFFER_LIMIT_MS + 30 * SECOND_MS;

/** The current state of an area. */
export interface AreaSnapshot {
  now: Instant;
  /** The orders to plan, sorted by id: the same input always gets the same plan. */
  orders: readonly KnownOrder[];
  /** All orders of the area, by id. */
  byId: ReadonlyMap<string, KnownOrder>;
  restaurants: ReadonlyMap<string, PlanningRestaurant>;
  /** Every courier on duty in the area. */
  couriers: readonly CourierAtWork[];
  /** Ids of every courier on duty anywhere. */
  onDuty: ReadonlySet<string>;
}

/** Offers that no one will answer any more: they timed out, or the courier went off duty or out of contact. */
export function listWithdrawals(area: AreaSnapshot): ChangeRequest[] {
  const dark = new Set(area.couriers.filter((courier) => isOutOfContact(courier, area.now)).map(({ id }) => id));
  const withdrawals: ChangeRequest[] = [];
  for (const { order } of area.orders) {
    const { courierId } = order;
    if (courierId === null || order.acceptedAt !== null) continue;
    const reason = isOfferExpired(order, area.now)
      ? 'No answer in time'
      : dark.has(courierId)
        ? 'The courier cannot be reached'
        : area.onDuty.has(courierId)
          ? null
          : 'The courier went off duty';
    if (reason !== null) withdrawals.push(commandOn(order, { name: 'decline', reason }));
  }
  return withdrawals;
}

export interface AreaProblem {
  request: PlanRequest;
  /** Orders that cannot be planned now, with the reason. */
  waiting: { order: LiveOrder; reason: WaitReason; until: Instant | null }[];
  /** Held by a courier who is not in the plan: they stay with that courier, without an arrival time. */
  untouched: LiveOrder[];
}

export function describeArea(area: AreaSnapshot): AreaProblem {
  const { now } = area;
  const middle = findMiddle([...area.restaurants.values()]);
  const holders = new Set<string | null>();
  for (const { order } of area.orders) if (order.acceptedAt !== null) holders.add(order.courierId);
  const couriers = area.couriers.flatMap((courier): CourierToPlan[] => {
    const described = describeCourier(courier, area.restaurants, middle);
    if (!isOutOfContact(courier, now)) return [described];
    // A courier out of contact is assumed not to have moved, so their arrival times keep getting later.
    return holders.has(courier.id) && courier.place !== null ? [{ ...described, takesMore: false }] : [];
  });
  const presentIds = new Set(couriers.map(({ id }) => id));
  const orders: OrderToPlan[] = [];
  const waiting: AreaProblem['waiting'] = [];
  const untouched: LiveOrder[] = [];
  for (const { order, facts } of area.orders) {
    const restaurant = area.restaurants.get(order.restaurantId);
    if (facts === undefined || restaurant === undefined) continue;
    const described = describeOrder(order, facts, { restaurant, now });
    const isElsewhere = order.courierId !== null && !presentIds.has(order.courierId);
    if (isElsewhere) untouched.push(order);
    else if (described.kind === 'plannable') orders.push(described.order);
    else waiting.push({ order, reason: described.reason, until: described.until });
  }
  return { request: { now, orders, couriers }, waiting, untouched };
}

export function describeCourier(
  courier: CourierAtWork,
  restaurants: ReadonlyMap<string, PlanningRestaurant>,
  middle: Place,
): CourierToPlan {
  return {
    id: courier.id,
    restaurantId: courier.restaurantId,
    vehicle: courier.vehicle,
    capacity: courier.capacity,
    place: courier.place ?? courier.home ?? restaurants.get(courier.restaurantId ?? '')?.place ?? middle,
    shiftEndsAt: courier.shiftEndsAt,
    takesMore: true,
  };
}

/** The assumed position of a courier without any known place. */
export function findMiddle(restaurants: readonly PlanningRestaurant[]): Place {
  const places = restaurants.flatMap(({ place }) => (place === null ? [] : [place]));
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  return {
    latitude: mean(places.map((place) => place.latitude)),
    longitude: mean(places.map((place) => place.longitude)),
  };
}

/** When the offer is sent to the planned courier. */
export function offerTimeOf(
  order: Pick<LiveOrder, 'deadlineAt'>,
  { leaveAt }: Pick<PlannedOrder, 'leaveAt'>,
): Instant | null {
  return leaveAt === null ? null : Math.min(leaveAt - OFFER_LEAD_MS, latestOfferTimeOf(order));
}

/** Commands in two batches: a planned order becomes ROUTED before it can be offered. */
export function listCommands(
  area: Pick<AreaSnapshot, 'now' | 'byId'>,
  planned: readonly PlannedOrder[],
): { routes: ChangeRequest[]; offers: ChangeRequest[] } {
  const routes: ChangeRequest[] = [];
  const offers: ChangeRequest[] = [];
  for (const place of planned) {
    const { courierId } = place;
    if (courierId === null) continue;
    const order = area.byId.get(place.orderId)?.order;
    if (order === undefined || order.courierId !== null) continue;
    const isRouted = order.state === 'VALIDATED';
    if (isRouted) routes.push(commandOn(order, { name: 'route' }));
    const offerAt = offerTimeOf(order, place);
    const isGivenUp = order.deadlineAt !== null && order.deadlineAt <= area.now;
    if (offerAt === null || offerAt > area.now || isGivenUp) continue;
    const seen = isRouted ? { ...order, state: 'ROUTED' as const } : order;
    // If the order is already past ROUTED, this changes the courier and not the state.
    const why = sayWhy(place.reason);
    offers.push(commandOn(seen, { name: 'select', courierId, ...(why !== undefined && { why }) }));
  }
  return { routes, offers };
}

/** For the order's history, which outlives the plan. Names no one: not all readers may know the next-best courier. */
function sayWhy(reason: OrderReason | undefined): string | undefined {
  if (reason?.kind !== 'placed') return undefined;
  const others =
    reason.nextBest === null
      ? 'no other courier could take it'
      : `the next best would add ${inMinutes(reason.nextBest.extraCost)} more`;
  return `Adds ${inMinutes(reason.extraCost)} to the plan; ${others}.`;
}

function inMinutes(seconds: number): string {
  return `${Number(((seconds * SECOND_MS) / MINUTE_MS).toFixed(1))} min`;
}

// Based on the state that was read: if people have changed the order since then, the command is rejected.
function commandOn(order: Pick<LiveOrder, 'id' | 'state' | 'courierId'>, command: Command): ChangeRequest {
  const { id: orderId, state, courierId } = order;
  return { orderId, scope: 'everything', command, actor: PLANNER, seen: { state, courierId } };
}

/** Alarms are for late orders, orders without a courier, and couriers who are out of contact or went off duty. */
const LATE_ALARM_MS = 10 * MINUTE_MS;
/** An order that is ready only later, and has no earlier deadline, still has time to find a courier. */
const EARLY_MS = 15 * MINUTE_MS;
/** Only people can fix these, so the alarm is immediate. */
const UNTIL_FIXED: Partial<Record<WaitReason, string>> = {
  NO_DROPOFF_LOCATION: 'The drop-off has no coordinates, so no courier can be sent.',
  NO_PICKUP_LOCATION: 'The restaurant has no coordinates, so no courier can be sent.',
};

export interface Alarm {
  orderId: string;
  kind: PlannerAlarmKind;
  courierId: string | null;
  detail: string;
}

export function listAlarms(area: AreaSnapshot, problem: AreaProblem, planned: readonly PlannedOrder[]): Alarm[] {
  const { now } = area;
  const kind = 'NO_COURIER_IN_TIME';
  const alarms: Alarm[] = [];
  for (const [index, { orderId, courierId, dropoffAt }] of planned.entries()) {
    const asked = problem.request.orders[index];
    if (asked === undefined) continue;
    if (dropoffAt === null && courierId !== null) {
      alarms.push({ orderId, kind, courierId, detail: 'There is no known route for its courier.' });
    } else if (dropoffAt === null) {
      const givenUpAt = area.byId.get(orderId)?.order.deadlineAt ?? Infinity;
      if (Math.min(asked.readyAt, givenUpAt) > now + EARLY_MS) continue;
      alarms.push({ orderId, kind, courierId: null, detail: 'No courier can take it in time.' });
    } else if (dropoffAt - asked.dueAt >= LATE_ALARM_MS) {
      const detail = `It will be ${describeDuration(dropoffAt - asked.dueAt)} late.`;
      alarms.push({ orderId, kind, courierId, detail });
    }
  }
  for (const { order, reason } of problem.waiting) {
    const detail = UNTIL_FIXED[reason];
    if (detail !== undefined) alarms.push({ orderId: order.id, kind: 'PLACE_MISSING', courierId: null, detail });
  }
  const silentSince = new Map(
    area.couriers
      .filter((courier) => isOutOfContact(courier, now))
      .map(({ id, reportedAt }) => [id, reportedAt ?? now]),
  );
  for (const { order } of area.orders) {
    const { id: orderId, courierId, acceptedAt } = order;
    if (courierId === null || acceptedAt === null) continue;
    const since = silentSince.get(courierId);
    if (since !== undefined) {
      const detail = `No contact with its courier for ${describeDuration(now - since)}.`;
      alarms.push({ orderId, kind: 'COURIER_DARK', courierId, detail });
    } else if (!area.onDuty.has(courierId)) {
      alarms.push({ orderId, kind: 'COURIER_DARK', courierId, detail: 'Its courier went off duty.' });
    }
  }
  return alarms;
}
