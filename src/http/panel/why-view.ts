// The planner's explanation with the couriers' names in it.
import type { WhyView } from '../../contract/panel/why.ts';
import { OFFER_LIMIT_MS } from '../../domain/courier.ts';
import type { Instant } from '../../domain/time.ts';
import type { PlanExplanation, PricedCourier } from '../../store/plans.ts';

/** Who has an order, as it stands now. */
export interface Holding {
  courierId: string | null;
  offeredAt: Instant | null;
  acceptedAt: Instant | null;
}

/** The order itself knows best who has it; the planner may not have looked since somebody gave or took it. */
export function explainNow(order: Holding, planned: PlanExplanation | null): PlanExplanation | null {
  const { courierId, offeredAt, acceptedAt } = order;
  if (courierId === null) return planned?.kind === 'placed' || planned?.kind === 'waiting' ? planned : null;
  if (acceptedAt !== null || offeredAt === null) return { kind: 'accepted', courierId };
  return { kind: 'offered', courierId, until: new Date(offeredAt + OFFER_LIMIT_MS).toISOString() };
}

/** Ids of the couriers whose names it needs. */
export function couriersIn(explanation: PlanExplanation): string[] {
  const { kind } = explanation;
  if (kind === 'waiting') return explanation.cheapest === undefined ? [] : [explanation.cheapest.courierId];
  const nextBest = kind === 'placed' ? explanation.nextBest : null;
  return nextBest === null ? [explanation.courierId] : [explanation.courierId, nextBest.courierId];
}

/** Who is not in `names` stays unnamed. */
export function toWhyView(explanation: PlanExplanation, names: ReadonlyMap<string, string>): WhyView {
  const courierOf = (id: string) => ({ id, name: names.get(id) ?? null });
  const toPriced = ({ courierId, extraCost }: PricedCourier) => ({ courier: courierOf(courierId), extraCost });
  switch (explanation.kind) {
    case 'accepted':
      return { kind: 'accepted', courier: courierOf(explanation.courierId) };
    case 'offered':
      return { kind: 'offered', courier: courierOf(explanation.courierId), until: explanation.until };
    case 'placed': {
      const { courierId, extraCost, nextBest, offerAt } = explanation;
      return {
        kind: 'placed',
        courier: courierOf(courierId),
        extraCost,
        nextBest: nextBest && toPriced(nextBest),
        offerAt,
      };
    }
    case 'waiting': {
      const { kind, reason, until, cheapest } = explanation;
      return { kind, reason, until, cheapest: cheapest === undefined ? null : toPriced(cheapest) };
    }
    default:
      return explanation satisfies never;
  }
}
