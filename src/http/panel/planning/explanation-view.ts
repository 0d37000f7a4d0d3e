// The planner's explanation with couriers' names filled in.
import type { ChoiceView, WhyView } from '../../../contract/panel/planning/explanation.ts';
import { showEta } from '../../../domain/couriers/privacy.ts';
import { OFFER_LIMIT_MS } from '../../../domain/couriers/courier.ts';
import type { Role } from '../../../domain/orders/order.ts';
import { formatUtc, type Instant } from '../../../domain/time.ts';
import type { Choice, PlanExplanation, PricedCourier } from '../../../store/planning/plans.ts';

/** Who has an order now. */
export interface Holding {
  courierId: string | null;
  offeredAt: Instant | null;
  acceptedAt: Instant | null;
  /** Who assigned it to the courier, as named in the history; null if unknown. */
  chosenBy: string | null;
  /** The courier to whom the operator locked it. */
  lockedTo: string | null;
}

interface Held {
  courierId: string;
  /** Why this courier; null if unknown. */
  choice: Choice | 'hand' | null;
}

export type Explanation =
  | Extract<PlanExplanation, { kind: 'placed' | 'waiting' }>
  | (Held & { kind: 'accepted' })
  | (Held & { kind: 'offered'; until: string });

/** The order decides who has it; the plan may be older than the latest assignment. */
export function explainNow(order: Holding, planned: PlanExplanation | null): Explanation | null {
  const { courierId, offeredAt, acceptedAt } = order;
  if (courierId === null) return planned?.kind === 'placed' || planned?.kind === 'waiting' ? planned : null;
  const choice = findChoice({ ...order, courierId }, planned);
  if (acceptedAt !== null || offeredAt === null) return { kind: 'accepted', courierId, choice };
  return { kind: 'offered', courierId, choice, until: formatUtc(offeredAt + OFFER_LIMIT_MS) };
}

const PEOPLE: readonly (string | null)[] = ['restaurant', 'operator'] satisfies Role[];

function findChoice(
  { courierId, chosenBy, lockedTo }: Holding & { courierId: string },
  planned: PlanExplanation | null,
): Held['choice'] {
  if (PEOPLE.includes(chosenBy)) return 'hand';
  const choice = choiceIn(planned, courierId);
  // For a locked order, the lack of other couriers is not the reason for the choice; the lock is.
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

/** Which couriers the viewer of a page may know. */
export interface KnownCouriers {
  /** Of known couriers, and of the one who has the order. */
  names: ReadonlyMap<string, string>;
  /** Whether the viewer may know a courier's location. For other couriers, exact costs and times are withheld. */
  isKnown: (courierId: string) => boolean;
}

/** Withholds even an unknown courier's id: which courier a plan prefers reveals where they are. */
export function showCourier(id: string, { names, isKnown }: KnownCouriers): { id: string | null; name: string | null } {
  const name = names.get(id) ?? null;
  return { id: name !== null || isKnown(id) ? id : null, name };
}

export function toWhyView(explanation: Explanation, viewer: KnownCouriers): WhyView {
  const courierOf = (id: string) => showCourier(id, viewer);
  const toPriced = ({ courierId, extraCost }: PricedCourier) => ({
    courier: courierOf(courierId),
    extraCost: viewer.isKnown(courierId) ? extraCost : null,
  });
  const toPlanned = (courierId: string, { extraCost, nextBest }: Choice) => ({
    extraCost: viewer.isKnown(courierId) ? extraCost : null,
    // This is the extra cost compared with the chosen courier, so it reveals both.
    nextBest: nextBest && { ...toPriced(nextBest), ...(viewer.isKnown(courierId) ? {} : { extraCost: null }) },
  });
  const toHeld = ({ courierId, choice }: Held) => ({
    courier: courierOf(courierId),
    choice: toChoice(courierId, choice),
  });
  const toChoice = (courierId: string, choice: Held['choice']): ChoiceView | null =>
    choice === 'hand' ? { by: 'hand' } : choice && { by: 'planner', ...toPlanned(courierId, choice) };
  switch (explanation.kind) {
    case 'accepted':
      return { kind: 'accepted', ...toHeld(explanation) };
    case 'offered':
      return { kind: 'offered', ...toHeld(explanation), until: explanation.until };
    case 'placed': {
      const { kind, courierId } = explanation;
      const offerAt = showEta(Date.parse(explanation.offerAt), viewer.isKnown(courierId)) ?? 0;
      const at = formatUtc(offerAt);
      return { kind, courier: courierOf(courierId), ...toPlanned(courierId, explanation), offerAt: at };
    }
    case 'waiting': {
      const { kind, reason, until, cheapest } = explanation;
      return { kind, reason, until, cheapest: cheapest === undefined ? null : toPriced(cheapest) };
    }
    default:
      return explanation satisfies never;
  }
}
