// What is kept of a plan for each order, and whether it says anything new.
import { OFFER_LIMIT_MS } from '../domain/courier.ts';
import { MINUTE_MS, type Instant } from '../domain/time.ts';
import type { LiveOrder } from '../store/planning-orders.ts';
import type { OrderPlan, PlanExplanation, PricedCourier } from '../store/plans.ts';
import { offerTimeOf, type AreaProblem } from './area-round.ts';
import type { PlannedOrder } from './plan-request.ts';

/** Times that move by less are not worth a write: couriers move all the time. */
const WORTH_TELLING_MS = MINUTE_MS / 2;
/** In seconds, as the planner prices things. */
const WORTH_TELLING_COST = 120;

export function listOrderPlans(
  orders: readonly LiveOrder[],
  problem: AreaProblem,
  planned: readonly PlannedOrder[],
): OrderPlan[] {
  const byId = new Map(orders.map((order) => [order.id, order]));
  const placed = planned.map((place): OrderPlan => {
    const order = byId.get(place.orderId);
    return {
      orderId: place.orderId,
      courierId: place.courierId,
      pickupPlace: place.pickupPlace,
      dropoffPlace: place.dropoffPlace,
      pickupAt: place.pickupAt,
      dropoffAt: place.dropoffAt,
      explanation: order === undefined ? null : (explainHolder(order) ?? explainPlan(order, place)),
    };
  });
  const waiting = problem.waiting.map(({ order, reason, until }) => {
    const endsAt = toText(until ?? order.deadlineAt);
    return withoutPlace(order, { kind: 'waiting', reason, until: endsAt });
  });
  const untouched = problem.untouched.map((order) => withoutPlace(order, explainHolder(order)));
  return [...placed, ...waiting, ...untouched];
}

/** Better no time than one from before its courier was lost sight of. */
function withoutPlace({ id }: LiveOrder, explanation: PlanExplanation | null): OrderPlan {
  return {
    orderId: id,
    courierId: null,
    pickupPlace: null,
    dropoffPlace: null,
    pickupAt: null,
    dropoffAt: null,
    explanation,
  };
}

function explainHolder({ courierId, offeredAt, acceptedAt }: LiveOrder): PlanExplanation | null {
  if (courierId === null) return null;
  if (acceptedAt !== null || offeredAt === null) return { kind: 'accepted', courierId };
  return { kind: 'offered', courierId, until: toText(offeredAt + OFFER_LIMIT_MS) };
}

function explainPlan(order: LiveOrder, { reason, ...place }: PlannedOrder): PlanExplanation | null {
  if (reason === undefined || reason.kind === 'held') return null;
  if (reason.kind === 'waiting') return { ...reason, until: toText(order.deadlineAt) };
  return { ...reason, offerAt: toText(offerTimeOf(order, place) ?? 0) };
}

function toText(at: Instant): string;
function toText(at: Instant | null): string | null;
function toText(at: Instant | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** Remembers what was written last, so that a plan that says the same again costs no write. */
export class PlanMemory {
  #last = new Map<string, OrderPlan>();

  /** Those that differ from what was written; afterwards they count as written. */
  takeNews(plans: readonly OrderPlan[]): OrderPlan[] {
    const written = new Map<string, OrderPlan>();
    const news: OrderPlan[] = [];
    for (const plan of plans) {
      const before = this.#last.get(plan.orderId);
      if (before !== undefined && !isNews(before, plan)) {
        written.set(plan.orderId, before);
        continue;
      }
      news.push(plan);
      // A write without an explanation leaves the one that is there.
      const explanation = plan.explanation ?? before?.explanation ?? null;
      written.set(plan.orderId, { ...plan, explanation });
    }
    this.#last = written;
    return news;
  }

  forget(): void {
    this.#last.clear();
  }
}

function isNews(before: OrderPlan, plan: OrderPlan): boolean {
  const { courierId, pickupPlace, dropoffPlace, explanation } = plan;
  if (courierId !== before.courierId || pickupPlace !== before.pickupPlace) return true;
  if (dropoffPlace !== before.dropoffPlace || hasMoved(before.pickupAt, plan.pickupAt)) return true;
  if (hasMoved(before.dropoffAt, plan.dropoffAt)) return true;
  return explanation !== null && !meansTheSame(before.explanation, explanation);
}

function hasMoved(before: Instant | null, now: Instant | null): boolean {
  if (before === null || now === null) return before !== now;
  return Math.abs(now - before) >= WORTH_TELLING_MS;
}

/** Costs change with every second; who, why and when is what people read. */
function meansTheSame(before: PlanExplanation | null, now: PlanExplanation): boolean {
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
      if (hasMoved(Date.parse(before.offerAt), Date.parse(now.offerAt))) return false;
      return isSamePrice(before.nextBest, now.nextBest);
    }
  }
}

function isSamePrice(before: PricedCourier | null = null, now: PricedCourier | null = null): boolean {
  if (before === null || now === null) return before === now;
  const haveCostsMoved = Math.abs(now.extraCost - before.extraCost) >= WORTH_TELLING_COST;
  return before.courierId === now.courierId && !haveCostsMoved;
}
