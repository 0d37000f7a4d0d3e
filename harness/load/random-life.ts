// Random order histories: mostly plausible next steps of a kitchen and a courier, regularly mixed with arbitrary ones.
import type { ChangeRequest } from '../../src/actions/orders/change-order.ts';
import {
  CANCEL_REASONS,
  CANCELED_BY,
  type CancelReasonId,
  type Cancellation,
} from '../../src/domain/orders/cancellation.ts';
import type { Actor, Command, OrderState } from '../../src/domain/orders/order.ts';
import type { Chance } from '../chance.ts';

export type Step = Pick<ChangeRequest, 'command' | 'actor'>;

const RESTAURANT: Actor = { role: 'restaurant' };
const PLANNER: Actor = { role: 'planner' };
const OPERATOR: Actor = { role: 'operator' };
const SYSTEM: Actor = { role: 'system' };

/** Draws the next steps of an order; the caller sends several of them concurrently. */
export function drawSteps(chance: Chance, state: OrderState, couriers: readonly string[]): Step[] {
  const steps = [drawStep(chance, state, couriers)];
  while (chance.isTrue(0.2)) steps.push(drawStep(chance, state, couriers));
  return steps;
}

function drawStep(chance: Chance, state: OrderState, couriers: readonly string[]): Step {
  if (chance.isTrue(0.06)) return cancelBy(chance, chance.pick(couriers));
  if (chance.isTrue(0.12)) return anything(chance, chance.pick(couriers));
  // Each order involves several couriers, so that the wrong one sometimes answers an offer.
  const courierId = chance.pick(couriers);
  const courier: Actor = { role: 'courier', courierId };
  const asPlanner = chance.isTrue(0.5) ? PLANNER : OPERATOR;
  const sensible: Record<OrderState, Step[]> = {
    NEW: [{ command: { name: 'approve' }, actor: RESTAURANT }],
    VALIDATED: [
      { command: { name: 'route' }, actor: PLANNER },
      { command: { name: 'route' }, actor: PLANNER },
      { command: { name: 'assign', courierId }, actor: chance.isTrue(0.5) ? RESTAURANT : OPERATOR },
      { command: { name: 'prepare' }, actor: RESTAURANT },
    ],
    ROUTED: [
      { command: { name: 'select', courierId }, actor: asPlanner },
      { command: { name: 'select', courierId }, actor: asPlanner },
      { command: { name: 'prepare' }, actor: RESTAURANT },
    ],
    ASSIGNED: [
      { command: { name: 'accept' }, actor: courier },
      { command: { name: 'accept' }, actor: courier },
      { command: { name: 'decline', reason: 'Too far' }, actor: courier },
      { command: { name: 'reoffer', courierId }, actor: asPlanner },
      { command: { name: 'prepare' }, actor: RESTAURANT },
    ],
    ACCEPTED: [{ command: { name: 'prepare' }, actor: RESTAURANT }],
    PREPARED: [
      { command: { name: 'pick_up' }, actor: courier },
      { command: { name: 'assign', courierId }, actor: OPERATOR },
      { command: { name: 'accept' }, actor: courier },
      { command: { name: 'decline' }, actor: courier },
    ],
    ON_DELIVERY: [{ command: { name: 'deliver' }, actor: courier }],
    DELIVERED: [anything(chance, courierId)],
    CANCELED: [anything(chance, courierId)],
  };
  return chance.pick(sensible[state]);
}

function anything(chance: Chance, courierId: string): Step {
  const commands: Command[] = [
    { name: 'approve' },
    { name: 'route' },
    { name: 'assign', courierId },
    { name: 'select', courierId },
    { name: 'accept' },
    { name: 'decline' },
    { name: 'reoffer', courierId },
    { name: 'prepare' },
    { name: 'pick_up' },
    { name: 'deliver' },
    { name: 'expire' },
  ];
  const actors: Actor[] = [RESTAURANT, PLANNER, OPERATOR, SYSTEM, { role: 'courier', courierId }];
  return { command: chance.pick(commands), actor: chance.pick(actors) };
}

/** Any reason, any party, any role: the service must refuse what the contract forbids. */
function cancelBy(chance: Chance, courierId: string): Step {
  const by = chance.pick(CANCELED_BY);
  const reasonId = chance.pick(Object.keys(CANCEL_REASONS) as CancelReasonId[]);
  const text = chance.pick([
    'Sold out',
    'Müşteri istemedi',
    'a "quoted"\n\ttext \\ with </script> 🍕',
    CANCEL_REASONS[reasonId].meaning,
  ]);
  const cancellation: Cancellation = { reasonId, by, text };
  const role: Actor = { Restaurant: RESTAURANT, Courier: { role: 'courier', courierId } as const, System: SYSTEM }[by];
  return { command: { name: 'cancel', cancellation }, actor: chance.isTrue(0.6) ? role : OPERATOR };
}
