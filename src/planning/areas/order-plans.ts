// What is stored of a plan for each order, and whether it has changed.
import { OFFER_LIMIT_MS } from '../../domain/couriers/courier.ts';
import { formatUtc, MINUTE_MS, type Instant } from '../../domain/time.ts';
import type { LiveOrder } from '../../store/planning/orders.ts';
import type { OrderPlan, PlanExplanation, PricedCourier } from '../../store/planning/plans.ts';
import { offerTimeOf, type AreaProblem } from './round.ts';
import type { KnownOrder } from './describe-order.ts';
import type { PlannedOrder } from './plan-request.ts';

/** Smaller changes in time are not worth a write, because couriers move all the time. */
const MIN_REPORTED_SHIFT_MS = MINUTE_MS / 2;
/** In seconds, as the planner prices things. */
const MIN_REPORTED_COST_CHANGE = 120;

/** As stored, except for its times: most are never written, and formatting each would be most of the work. */
type Reason =
  | Extract<PlanExplanation, { kind: 'accepted' }>
  | WithTime<Extract<PlanExplanation, { kind: 'offered' }>, { until: Instant }>
  | WithTime<Extract<PlanExplanation, { kind: 'placed' }>, { offerAt: Instant }>
  | WithTime<Extract<PlanExplanation, { kind: 'waiting' }>, { until: Instant | null }>;
type WithTime<Explanation, Times> = Omit<Explanation, keyof Times> & Times;

export interface OrderPlanDraft extends Omit<OrderPlan, 'explanation'> {
  /** Null: the stored explanation still holds. */
  reason: Reason | null;
}

export function draftOrderPlans(
  byId: ReadonlyMap<string, KnownOrder>,
  problem: AreaProblem,
  planned: readonly PlannedOrder[],
): OrderPlanDraft[] {
  const placed = planned.map((place): OrderPlanDraft => {
    const order = byId.get(place.orderId)?.order;
    return {
      orderId: place.orderId,
      courierId: place.courierId,
      pickupPlace: place.pickupPlace,
      dropoffPlace: place.dropoffPlace,
      pickupAt: place.pickupAt,
      dropoffAt: place.dropoffAt,
      reason: order === undefined ? null : (explainHolder(order) ?? explainPlan(order, place)),
    };
  });
  const waiting = problem.waiting.map(({ order, reason, until }) =>
    withoutPlace(order, { kind: 'waiting', reason, until: until ?? order.deadlineAt }),
  );
  const untouched = problem.untouched.map((order) => withoutPlace(order, explainHolder(order)));
  return [...placed, ...waiting, ...untouched];
}

/** No arrival time is better than one from before contact with the courier was lost. */
function withoutPlace({ id }: LiveOrder, reason: Reason | null): OrderPlanDraft {
  return {
    orderId: id,
    courierId: null,
    pickupPlace: null,
    dropoffPlace: null,
    pickupAt: null,
    dropoffAt: null,
    reason,
  };
}

function explainHolder({ courierId, offeredAt, acceptedAt }: LiveOrder): Reason | null {
  if (courierId === null) return null;
  if (acceptedAt !== null || offeredAt === null) return { kind: 'accepted', courierId };
  return { kind: 'offered', courierId, until: offeredAt + OFFER_LIMIT_MS };
}

function explainPlan(order: LiveOrder, { reason, leaveAt }: PlannedOrder): Reason | null {
  if (reason === undefined || reason.kind === 'held') return null;
  if (reason.kind === 'waiting') return { ...reason, until: order.deadlineAt };
  return { ...reason, offerAt: offerTimeOf(order, { leaveAt }) ?? 0 };
}

/** Remembers what was written last, so that an unchanged plan costs no write. */
export class PlanMemory {
  readonly #written = new Map<string, OrderPlanDraft>();

  /** Returns the drafts that differ from what was written, and marks them as written. */
  takeNews(drafts: readonly OrderPlanDraft[]): OrderPlan[] {
    const news: OrderPlan[] = [];
    for (const draft of drafts) {
      const before = this.#written.get(draft.orderId);
      if (before !== undefined && !isNews(before, draft)) continue;
      news.push(toOrderPlan(draft));
      // A write without an explanation keeps the stored one.
      const reason = draft.reason ?? before?.reason ?? null;
      this.#written.set(draft.orderId, { ...draft, reason });
    }
    return news;
  }

  forget(orderId: string): void {
    this.#written.delete(orderId);
  }
}

function toOrderPlan({ reason, ...place }: OrderPlanDraft): OrderPlan {
  return { ...place, explanation: reason && toExplanation(reason) };
}

function toExplanation(reason: Reason): PlanExplanation {
  switch (reason.kind) {
    case 'accepted':
      return reason;
    case 'offered':
      return { ...reason, until: formatUtc(reason.until) };
    case 'placed':
      return { ...reason, offerAt: formatUtc(reason.offerAt) };
    case 'waiting':
      return { ...reason, until: formatUtc(reason.until) };
  }
}

function isNews(before: OrderPlanDraft, draft: OrderPlanDraft): boolean {
  const { courierId, pickupPlace, dropoffPlace, reason } = draft;
  if (courierId !== before.courierId || pickupPlace !== before.pickupPlace) return true;
  if (dropoffPlace !== before.dropoffPlace || hasMoved(before.pickupAt, draft.pickupAt)) return true;
  if (hasMoved(before.dropoffAt, draft.dropoffAt)) return true;
  return reason !== null && !meansTheSame(before.reason, reason);
}

function hasMoved(before: Instant | null, now: Instant | null): boolean {
  if (before === null || now === null) return before !== now;
  return Math.abs(now - before) >= MIN_REPORTED_SHIFT_MS;
}

/** Costs change every second; people care about who, why and when. */
function meansTheSame(before: Reason | null, now: Reason): boolean {
  switch (now.kind) {
    case 'accepted':
      return before?.kind === 'accepted' && before.courierId === now.courierId;
    case 'offered':
      return before?.kind === 'offered' && before.courierId === now.courierId && before.until === now.until;
    case 'waiting': {
      if (before?.kind !== 'waiting' || before.reason !== now.reason || before.until !== now.until) return false;
      return isSamePrice(before.cheapest, now.cheapest);
    }
    case 'placed': {
      if (before?.kind !== 'placed' || before.courierId !== now.courierId) return false;
      return !hasMoved(before.offerAt, now.offerAt) && isSamePrice(before.nextBest, now.nextBest);
    }
  }
}

function isSamePrice(before: PricedCourier | null = null, now: PricedCourier | null = null): boolean {
  if (before === null || now === null) return before === now;
  const haveCostsMoved = Math.abs(now.extraCost - before.extraCost) >= MIN_REPORTED_COST_CHANGE;
  return before.courierId === now.courierId && !haveCostsMoved;
}
