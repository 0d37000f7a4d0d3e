// Which commands a role may give an order now, and why not the others. Uses the same decision function that executes
// them, so that buttons and the API never disagree.
import { reasonsOf } from './cancellation.ts';
import { decide, isFinal, TRANSITIONS, type Command, type Order, type Role, type TransitionName } from './order.ts';
import type { Instant } from '../time.ts';

export interface CommandOffer {
  name: TransitionName;
  /** Null if the command is possible. */
  reason: string | null;
}

type Giver = Exclude<Role, 'courier'>;

/** The fields of an order that decisions read. */
export type OrderFacts = Pick<Order, 'state' | 'courierId' | 'courierAcceptedAt' | 'kitchenReadyAt'>;

/** All commands of the role, in table order. */
export function offerCommands(facts: OrderFacts, role: Giver): CommandOffer[] {
  return commandsOf(role).map((name) => ({ name, reason: whyNot(facts, name, role) }));
}

export function whyNot(facts: OrderFacts, name: TransitionName, role: Giver): string | null {
  const decision = decide(toOrder(facts), sampleOf(name), { actor: { role }, now: NOW });
  if (decision.kind === 'changed') return null;
  if (decision.kind === 'unchanged') return isFinal(facts.state) ? 'The order is finished' : 'Already done';
  return decision.refusal.message ?? '';
}

export function commandsOf(role: Role): TransitionName[] {
  return TRANSITION_NAMES.filter((name) => {
    const by: readonly Role[] = TRANSITIONS[name].by;
    return by.includes(role);
  });
}

const TRANSITION_NAMES = Object.keys(TRANSITIONS).filter(isTransitionName);

function isTransitionName(text: string): text is TransitionName {
  return Object.hasOwn(TRANSITIONS, text);
}

// Only a courier's answer to an offer depends on the time, and couriers are not handled here.
const NOW: Instant = 0;
/** Matches no courier: it only has to differ from the order's current courier. */
const SOME_COURIER = '00000000-0000-0000-0000-000000000000';

function sampleOf(name: TransitionName): Command {
  if (name === 'assign' || name === 'select') return { name, courierId: SOME_COURIER };
  if (name !== 'cancel') return { name };
  const [reasonId = 'OTHER'] = reasonsOf('Restaurant');
  return { name, cancellation: { reasonId, by: 'Restaurant', text: '' } };
}

function toOrder(facts: OrderFacts): Order {
  return {
    ...facts,
    id: '',
    version: 0,
    lastChangedAt: 0,
    courierOfferedAt: null,
    wantedAt: null,
    deadlineAt: null,
    cancellation: null,
  };
}
