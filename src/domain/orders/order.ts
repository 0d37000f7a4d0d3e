// The life of an order: the sixteen rows of contract section 3 as one table, and the pure function that decides what a
// command does to an order. API refusals, enabled buttons and tests all derive from it.
import { CANCEL_REASONS, whyNotCancel, type Cancellation } from './cancellation.ts';
import { isAwaitingAnswer, isTooLateToAccept, isWithCourier } from './offer-time.ts';
import type { HistoryNote } from './history-notes.ts';
import { refuse, refused, type Refused } from '../refusals.ts';
import type { Instant } from '../time.ts';

export const STATES = [
  'NEW',
  'VALIDATED',
  'ROUTED',
  'ASSIGNED',
  'ACCEPTED',
  'PREPARED',
  'ON_DELIVERY',
  'DELIVERED',
  'CANCELED',
] as const;
export type OrderState = (typeof STATES)[number];

export const ROLES = ['restaurant', 'courier', 'operator', 'planner', 'system'] as const;
export type Role = (typeof ROLES)[number];

/** A courier is always a specific one; other actors are distinguished only in the audit log. */
export type Actor = { role: Exclude<Role, 'courier'> } | { role: 'courier'; courierId: string };

interface Transition {
  from: readonly OrderState[];
  to: OrderState;
  by: readonly Role[];
}

export const TRANSITIONS = {
  // The system approves only if the restaurant has enabled auto-approve.
  approve: { from: ['NEW'], to: 'VALIDATED', by: ['restaurant', 'system'] },
  route: { from: ['VALIDATED'], to: 'ROUTED', by: ['planner'] },
  assign: { from: ['VALIDATED'], to: 'ASSIGNED', by: ['restaurant', 'operator'] },
  select: { from: ['ROUTED'], to: 'ASSIGNED', by: ['planner', 'operator'] },
  accept: { from: ['ASSIGNED'], to: 'ACCEPTED', by: ['courier'] },
  prepare: { from: ['VALIDATED', 'ACCEPTED'], to: 'PREPARED', by: ['restaurant'] },
  pick_up: { from: ['PREPARED'], to: 'ON_DELIVERY', by: ['courier'] },
  deliver: { from: ['ON_DELIVERY'], to: 'DELIVERED', by: ['courier'] },
  cancel: {
    from: ['NEW', 'VALIDATED', 'ROUTED', 'ASSIGNED', 'ACCEPTED', 'PREPARED', 'ON_DELIVERY'],
    to: 'CANCELED',
    by: ['restaurant', 'courier', 'operator', 'system'],
  },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof TRANSITIONS;

export type Command =
  | { name: 'approve' | 'route' | 'accept' | 'prepare' | 'pick_up' | 'deliver' }
  /** The reason for choosing this courier is one sentence, kept with the order. */
  | { name: 'assign' | 'select'; courierId: string; why?: string }
  | { name: 'cancel'; cancellation: Cancellation }
  /** Moves an unanswered or declined offer to another courier, without a transition. */
  | { name: 'reoffer'; courierId: string }
  /** Given by anyone except the courier, it withdraws an unanswered offer. */
  | { name: 'decline'; reason?: string }
  /** Given by the system after the order's deadline. */
  | { name: 'expire' };

export interface Order {
  id: string;
  state: OrderState;
  version: number;
  lastChangedAt: Instant;
  courierId: string | null;
  courierOfferedAt: Instant | null;
  courierAcceptedAt: Instant | null;
  /** When the kitchen reported it; may be long before the state becomes PREPARED. */
  kitchenReadyAt: Instant | null;
  /** When the customer wants it, if not as soon as possible. */
  wantedAt: Instant | null;
  /** When the system acts if nothing happens before. */
  deadlineAt: Instant | null;
  cancellation: Cancellation | null;
}

export interface Change {
  from: OrderState;
  to: OrderState;
  version: number;
  at: Instant;
}

export type Decision =
  | { kind: 'changed'; order: Order; changes: Change[]; notes: HistoryNote[] }
  | { kind: 'unchanged' }
  | Refused;

export function isFinal(state: OrderState): boolean {
  return state === 'DELIVERED' || state === 'CANCELED';
}

interface Context {
  actor: Actor;
  now: Instant;
}

export function decide(order: Order, command: Command, context: Context): Decision {
  const { actor } = context;
  const forbidden = refuseActor(order, command, actor);
  if (forbidden !== null) return forbidden;
  switch (command.name) {
    case 'approve':
    case 'route':
    case 'deliver':
      return move(order, { name: command.name, now: context.now });
    case 'assign':
    case 'select':
      return offer(order, command, context);
    case 'reoffer':
      return reoffer(order, { courierId: command.courierId, detail: null }, context);
    case 'accept':
      return accept(order, context.now);
    case 'decline':
      return decline(order, command.reason ?? null, context);
    case 'prepare':
      return prepare(order, context.now);
    case 'pick_up':
      return pickUp(order, context.now);
    case 'cancel':
      return cancel(order, command.cancellation, context);
    case 'expire':
      return expire(order, context.now);
  }
}

/** Commands without a transition of their own, and who may give them. */
const OTHER_COMMANDS: Record<Exclude<Command['name'], TransitionName>, readonly Role[]> = {
  reoffer: ['planner', 'operator', 'restaurant'],
  decline: ['courier', 'planner', 'operator'],
  expire: ['system'],
};

function refuseActor(order: Order, command: Command, actor: Actor): Decision | null {
  const { name } = command;
  const allowed: readonly Role[] = isTransition(name) ? TRANSITIONS[name].by : OTHER_COMMANDS[name];
  if (!allowed.includes(actor.role)) {
    return no(order, `The role ${actor.role} cannot ${wordOf(command)} an order`);
  }
  if (actor.role === 'courier' && actor.courierId !== order.courierId) {
    return no(order, 'The order is not assigned to this courier');
  }
  return null;
}

/** The usual case: a row of the table applies, or it already did, or the command is refused, naming the state. */
function move(order: Order, step: { name: TransitionName; now: Instant }, set: Partial<Order> = {}): Decision {
  const { name, now } = step;
  const transition: Transition = TRANSITIONS[name];
  if (!transition.from.includes(order.state)) {
    return hasPassed(order, name) ? { kind: 'unchanged' } : no(order, `Cannot ${wordOf({ name })}`);
  }
  const change = changeTo(order, transition.to, now);
  return { kind: 'changed', order: { ...apply(order, change), ...set }, changes: [change], notes: [] };
}

type Offer = Extract<Command, { name: 'assign' | 'select' }>;
type Choice = Pick<HistoryNote, 'detail'> & { courierId: string };
function offer(order: Order, { name, courierId, why }: Offer, context: Context): Decision {
  const { now } = context;
  const choice: Choice = { courierId, detail: why ?? null };
  if (isWithCourier(order, courierId, now)) return { kind: 'unchanged' };
  if (order.state === 'PREPARED') return attach(order, choice, now);
  if (order.state === 'ASSIGNED') return reoffer(order, choice, context);
  if (TRANSITIONS[name].from[0] !== order.state) return no(order, `Cannot ${wordOf({ name })}`);
  const decision = move(order, { name, now }, { courierId, courierOfferedAt: now, courierAcceptedAt: null });
  if (decision.kind !== 'changed') return decision;
  return { ...decision, notes: [{ kind: 'courier_offered', at: now, ...choice }] };
}

/** Food that is ready before it has a courier: the order gets one without leaving PREPARED. */
function attach(order: Order, choice: Choice, now: Instant): Decision {
  if (order.courierAcceptedAt !== null) return no(order, 'Another courier has already accepted the order');
  const attached = { ...order, courierId: choice.courierId, courierOfferedAt: now };
  return note(attached, { kind: 'courier_attached', at: now, ...choice });
}

function reoffer(order: Order, choice: Choice, { actor, now }: Context): Decision {
  const { courierId } = choice;
  if (isWithCourier(order, courierId, now)) return { kind: 'unchanged' };
  const isAccepted = order.courierAcceptedAt !== null && (order.state === 'ACCEPTED' || order.state === 'PREPARED');
  // Only the operator, who has talked to both couriers, may reassign an accepted order.
  if (isAccepted && actor.role === 'operator') {
    const replaced = { ...order, courierId, courierOfferedAt: now, courierAcceptedAt: now };
    return note(replaced, { kind: 'courier_replaced', at: now, ...choice });
  }
  if (order.state === 'PREPARED') return attach(order, choice, now);
  if (order.state !== 'ASSIGNED') return no(order, 'Cannot offer the order to another courier');
  const offered = { ...order, courierId, courierOfferedAt: now };
  return note(offered, { kind: 'courier_offered', at: now, ...choice });
}

function accept(order: Order, now: Instant): Decision {
  if (isTooLateToAccept(order, now)) {
    return refused(refuse('ORDER_003', 'This offer has expired'));
  }
  if (order.state === 'PREPARED' && order.courierId !== null) {
    if (order.courierAcceptedAt !== null) return { kind: 'unchanged' };
    const { courierId } = order;
    return note({ ...order, courierAcceptedAt: now }, { kind: 'courier_accepted', at: now, courierId, detail: null });
  }
  const decision = move(order, { name: 'accept', now }, { courierAcceptedAt: now });
  if (decision.kind !== 'changed' || order.kitchenReadyAt === null) return decision;
  // The kitchen was ready early: PREPARED follows immediately, as a separate transition.
  const prepared = changeTo(decision.order, 'PREPARED', now);
  return { ...decision, order: apply(decision.order, prepared), changes: [...decision.changes, prepared] };
}

function decline(order: Order, reason: string | null, { actor, now }: Context): Decision {
  if (!isAwaitingAnswer(order)) return no(order, 'There is no open offer to decline');
  const kind = actor.role === 'courier' ? 'courier_declined' : 'offer_withdrawn';
  const free = { ...order, courierId: null, courierOfferedAt: null };
  return note(free, { kind, at: now, courierId: order.courierId, detail: reason });
}

function prepare(order: Order, now: Instant): Decision {
  if (order.state === 'ROUTED' || order.state === 'ASSIGNED') {
    if (order.kitchenReadyAt !== null) return { kind: 'unchanged' };
    const ready = { ...order, kitchenReadyAt: now };
    return note(ready, { kind: 'kitchen_ready_early', at: now, courierId: null, detail: null });
  }
  return move(order, { name: 'prepare', now }, { kitchenReadyAt: order.kitchenReadyAt ?? now });
}

function pickUp(order: Order, now: Instant): Decision {
  if (order.state === 'PREPARED' && order.courierAcceptedAt === null)
    return no(order, 'No courier has accepted the order yet');
  return move(order, { name: 'pick_up', now });
}

function cancel(order: Order, cancellation: Cancellation, context: Context): Decision {
  const isOnlyOffered = isAwaitingAnswer(order);
  const reason = whyNotCancel(cancellation, { role: context.actor.role, isOnlyOffered });
  if (reason !== null) return no(order, reason);
  return move(order, { name: 'cancel', now: context.now }, { cancellation });
}

/** Checked again under the order's lock: a courier may have accepted since the deadline check. */
function expire(order: Order, now: Instant): Decision {
  if (order.deadlineAt === null || order.deadlineAt > now) return { kind: 'unchanged' };
  const cancellation: Cancellation =
    order.state === 'NEW'
      ? { reasonId: 'OTHER', by: 'Restaurant', text: 'The restaurant did not approve the order in time' }
      : { reasonId: 'COURIER_NOT_AVAILABLE', by: 'System', text: CANCEL_REASONS.COURIER_NOT_AVAILABLE.meaning };
  return move(order, { name: 'cancel', now }, { cancellation });
}

// States an order can be in after each transition; a command repeated there has already taken effect.
const AFTER: Record<Exclude<TransitionName, 'cancel' | 'assign' | 'select'>, readonly OrderState[]> = {
  approve: ['VALIDATED', 'ROUTED', 'ASSIGNED', 'ACCEPTED', 'PREPARED', 'ON_DELIVERY', 'DELIVERED'],
  route: ['ROUTED', 'ASSIGNED', 'ACCEPTED'],
  accept: ['ACCEPTED', 'ON_DELIVERY', 'DELIVERED'],
  prepare: ['PREPARED', 'ON_DELIVERY', 'DELIVERED'],
  pick_up: ['ON_DELIVERY', 'DELIVERED'],
  deliver: ['DELIVERED'],
};

function hasPassed(order: Order, name: TransitionName): boolean {
  if (name === 'cancel') return order.state === 'CANCELED';
  if (name === 'assign' || name === 'select') return false;
  return AFTER[name].includes(order.state);
}

// Receivers drop events not later than the last one, so events of one order never share a millisecond.
function changeTo(order: Order, to: OrderState, now: Instant): Change {
  return { from: order.state, to, version: order.version + 1, at: Math.max(now, order.lastChangedAt + 1) };
}

function apply(order: Order, change: Change): Order {
  return { ...order, state: change.to, version: change.version, lastChangedAt: change.at };
}

function note(order: Order, history: HistoryNote): Decision {
  return { kind: 'changed', order, changes: [], notes: [history] };
}

function no(order: Order, what: string): Decision {
  return refused(refuse('ORDER_003', `${what}. The order is ${order.state}`));
}

function isTransition(name: Command['name']): name is TransitionName {
  return Object.hasOwn(TRANSITIONS, name);
}

function wordOf(command: { name: Command['name'] }): string {
  return command.name.replace('_', ' ');
}
