// What the robots do next with an order, and when. Pure: everything follows from the stored order, so a robot continues
// after a kill, and any number of robots reach the same result.
//
// The restaurant's robot approves and prepares, the dispatcher's robot routes and finds couriers, and the couriers'
// robots answer offers, pick up and deliver. The order's `test` field can change this.
import type { TestScript } from '../contract/integrator/orders/test-script.ts';
import { CANCEL_REASONS, type Cancellation, type CanceledBy } from '../domain/orders/cancellation.ts';
import { isTooLateToAccept } from '../domain/orders/offer-time.ts';
import { isFinal, STATES, type Actor, type Command, type Order, type OrderState } from '../domain/orders/order.ts';
import { SECOND_MS, type Instant } from '../domain/time.ts';

export interface RobotOrder {
  order: Order;
  /** Whether it has a location to which a route can be planned. */
  isRoutable: boolean;
  declines: number;
  lastDeclinedAt: Instant | null;
  script: TestScript;
}

export type Act =
  | { kind: 'command'; dueAt: Instant; command: Command; actor: Actor }
  /** The same, for a courier that is still to be chosen. */
  | { kind: 'find_courier'; dueAt: Instant; name: 'assign' | 'select' | 'reoffer'; actor: Actor };

/** How long each step takes in reality. */
const STEP_SECONDS = {
  approve: 120,
  route: 120,
  findCourier: 120,
  answerOffer: 40,
  prepare: 600,
  pickUp: 240,
  deliver: 1_000,
  cancel: 120,
} as const;

/** At this speed, an order is delivered within a minute. */
const USUAL_SPEED = 40;

const RESTAURANT: Actor = { role: 'restaurant' };
const PLANNER: Actor = { role: 'planner' };

/** Null if there is nothing for a robot to do. */
export function nextAct(subject: RobotOrder, now: Instant): Act | null {
  const { order } = subject;
  if (isToBeCanceled(subject)) return cancel(subject);
  const since = order.lastChangedAt;
  switch (order.state) {
    case 'NEW':
      return command(subject, { name: 'approve' }, { by: RESTAURANT, since, seconds: STEP_SECONDS.approve });
    case 'VALIDATED':
      return leaveValidated(subject);
    case 'ROUTED':
      return findCourier(subject, 'select', PLANNER);
    case 'ASSIGNED':
      return isUnasked(order, now) ? findCourier(subject, 'reoffer', PLANNER) : answerOffer(subject);
    case 'ACCEPTED':
      return command(subject, { name: 'prepare' }, { by: RESTAURANT, since, seconds: STEP_SECONDS.prepare });
    case 'PREPARED':
      return leavePrepared(subject, now);
    case 'ON_DELIVERY':
      return command(subject, { name: 'deliver' }, { by: courierOf(order), since, seconds: STEP_SECONDS.deliver });
    case 'DELIVERED':
    case 'CANCELED':
      return null;
  }
}

function leaveValidated(subject: RobotOrder): Act {
  const since = subject.order.lastChangedAt;
  // An order to which no route can be planned is assigned manually, unless the script overrides this.
  const path = subject.script.path ?? (subject.isRoutable ? 'PLANNED' : 'MANUAL');
  switch (path) {
    case 'MANUAL':
      return findCourier(subject, 'assign', RESTAURANT);
    case 'PREPARED_FIRST':
      return command(subject, { name: 'prepare' }, { by: RESTAURANT, since, seconds: STEP_SECONDS.prepare });
    case 'PLANNED':
      return command(subject, { name: 'route' }, { by: PLANNER, since, seconds: STEP_SECONDS.route });
  }
}

/** Also true if no robot answered the offer in time; then the offer is repeated. */
function isUnasked(order: Order, now: Instant): boolean {
  return order.courierId === null || isTooLateToAccept(order, now);
}

function leavePrepared(subject: RobotOrder, now: Instant): Act {
  const { order } = subject;
  if (isUnasked(order, now)) return findCourier(subject, 'select', PLANNER);
  if (order.courierAcceptedAt === null) return answerOffer(subject);
  const since = Math.max(order.lastChangedAt, order.courierAcceptedAt);
  return command(subject, { name: 'pick_up' }, { by: courierOf(order), since, seconds: STEP_SECONDS.pickUp });
}

function answerOffer(subject: RobotOrder): Act {
  const { order } = subject;
  const answer: Command = hasDeclinesLeft(subject)
    ? { name: 'decline', reason: 'Declined by the test script' }
    : { name: 'accept' };
  const since = order.courierOfferedAt ?? order.lastChangedAt;
  return command(subject, answer, { by: courierOf(order), since, seconds: STEP_SECONDS.answerOffer });
}

function findCourier(subject: RobotOrder, name: 'assign' | 'select' | 'reoffer', actor: Actor): Act {
  const since = Math.max(subject.order.lastChangedAt, subject.lastDeclinedAt ?? 0);
  return { kind: 'find_courier', dueAt: dueAt(subject, since, STEP_SECONDS.findCourier), name, actor };
}

// Cancels in the state that the script names, or in the first one after it if the order's path skips that state.
function isToBeCanceled(subject: RobotOrder): boolean {
  const { state } = subject.order;
  const at = subject.script.cancel?.at;
  if (at === undefined || isFinal(state) || rankOf(state) < rankOf(at)) return false;
  return state !== 'ASSIGNED' || !hasDeclinesLeft(subject);
}

function cancel(subject: RobotOrder): Act | null {
  const wish = subject.script.cancel;
  if (wish === undefined) return null;
  const { by: allowed, meaning } = CANCEL_REASONS[wish.reason];
  const by: CanceledBy = allowed.find((who) => who === wish.by) ?? allowed[0];
  const cancellation: Cancellation = { reasonId: wish.reason, by, text: meaning };
  return command(
    subject,
    { name: 'cancel', cancellation },
    {
      by: cancelActor(subject.order, by),
      since: Math.max(subject.order.lastChangedAt, subject.lastDeclinedAt ?? 0),
      seconds: STEP_SECONDS.cancel,
    },
  );
}

// Before a courier has accepted the order, the operator cancels on the courier's behalf.
function cancelActor(order: Order, by: CanceledBy): Actor {
  if (by === 'System') return { role: 'system' };
  if (by === 'Restaurant') return RESTAURANT;
  return order.courierAcceptedAt === null ? { role: 'operator' } : courierOf(order);
}

function hasDeclinesLeft(subject: RobotOrder): boolean {
  return subject.declines < (subject.script.declines ?? 0);
}

function courierOf(order: Order): Actor {
  return { role: 'courier', courierId: order.courierId ?? '' };
}

function rankOf(state: OrderState): number {
  return STATES.indexOf(state);
}

function command(
  subject: RobotOrder,
  what: Command,
  how: { by: Actor; since: Instant; seconds: number },
): Act & { kind: 'command' } {
  return { kind: 'command', dueAt: dueAt(subject, how.since, how.seconds), command: what, actor: how.by };
}

function dueAt(subject: RobotOrder, since: Instant, seconds: number): Instant {
  return since + (seconds * SECOND_MS) / (subject.script.speed ?? USUAL_SPEED);
}
