// The planner's explanation with the couriers' names in it.
import type { ChoiceView, WhyView } from '../../contract/panel/why.ts';
import { OFFER_LIMIT_MS } from '../../domain/courier.ts';
import type { Role } from '../../domain/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Choice, PlanExplanation, PricedCourier } from '../../store/plans.ts';

/** Who has an order, as it stands now. */
export interface Holding {
  courierId: string | null;
  offeredAt: Instant | null;
  acceptedAt: Instant | null;
  /** Who gave it to the courier, as the history names them; null: not known. */
  chosenBy: string | null;
  /** Whom the operator has tied it to. */
  lockedTo: string | null;
}

interface Held {
  courierId: string;
  /** Why this courier; null: not known. */
  choice: Choice | 'hand' | null;
}

export type Explanation =
  | Extract<PlanExplanation, { kind: 'placed' | 'waiting' }>
  | (Held & { kind: 'accepted' })
  | (Held & { kind: 'offered'; until: string });

/** The order itself knows best who has it; the planner may not have looked since somebody gave or took it. */
export function explainNow(order: Holding, planned: PlanExplanation | null): Explanation | null {
  const { courierId, offeredAt, acceptedAt } = order;
  if (courierId === null) return planned?.kind === 'placed' || planned?.kind === 'waiting' ? planned : null;
  const choice = findChoice({ ...order, courierId }, planned);
  if (acceptedAt !== null || offeredAt === null) return { kind: 'accepted', courierId, choice };
  return { kind: 'offered', courierId, choice, until: new Date(offeredAt + OFFER_LIMIT_MS).toISOString() };
}

const PEOPLE: readonly (string | null)[] = ['restaurant', 'operator'] satisfies Role[];

function findChoice(
  { courierId, chosenBy, lockedTo }: Holding & { courierId: string },
  planned: PlanExplanation | null,
): Held['choice'] {
  if (PEOPLE.includes(chosenBy)) return 'hand';
  const choice = choiceIn(planned, courierId);
  // Where an order is tied to somebody, that there was no other is no reason.
  return lockedTo === courierId && !choice?.nextBest ? 'hand' : choice;
}

function choiceIn(planned: PlanExplanation | null, courierId: string): Choice | null {
  if (planned === null || planned.kind === 'waiting' || planned.courierId !== courierId) return null;
  return planned.kind === 'placed' ? planned : (planned.choice ?? null);
}

/** Ids of the couriers whose names it needs. */
export function couriersIn(explanation: Explanation): string[] {
  if (explanation.kind === 'waiting') {
    return explanation.cheapest === undefined ? [] : [explanation.cheapest.courierId];
  }
  const choice = explanation.kind === 'placed' ? explanation : explanation.choice;
  const nextBest = choice === 'hand' ? null : choice?.nextBest;
  return [explanation.courierId, ...(nextBest ? [nextBest.courierId] : [])];
}

/** Who is not in `names` stays unnamed. */
export function toWhyView(explanation: Explanation, names: ReadonlyMap<string, string>): WhyView {
  const courierOf = (id: string) => ({ id, name: names.get(id) ?? null });
  const toPriced = ({ courierId, extraCost }: PricedCourier) => ({ courier: courierOf(courierId), extraCost });
  const toPlanned = ({ extraCost, nextBest }: Choice) => ({ extraCost, nextBest: nextBest && toPriced(nextBest) });
  const toHeld = ({ courierId, choice }: Held) => ({ courier: courierOf(courierId), choice: toChoice(choice) });
  const toChoice = (choice: Held['choice']): ChoiceView | null =>
    choice === 'hand' ? { by: 'hand' } : choice && { by: 'planner', ...toPlanned(choice) };
  switch (explanation.kind) {
    case 'accepted':
      return { kind: 'accepted', ...toHeld(explanation) };
    case 'offered':
      return { kind: 'offered', ...toHeld(explanation), until: explanation.until };
    case 'placed': {
      const { kind, courierId, offerAt } = explanation;
      return { kind, courier: courierOf(courierId), ...toPlanned(explanation), offerAt };
    }
    case 'waiting': {
      const { kind, reason, until, cheapest } = explanation;
      return { kind, reason, until, cheapest: cheapest === undefined ? null : toPriced(cheapest) };
    }
    default:
      return explanation satisfies never;
  }
}
