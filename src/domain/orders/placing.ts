// Decisions at the moment an order is placed, and how long it may wait afterwards.
import { CANCEL_REASONS } from './cancellation.ts';
import { isFinal, type Command, type Order } from './order.ts';
import { isRestaurantOpen, type Restaurant } from '../restaurants/restaurant.ts';
import { MINUTE_MS, type Instant } from '../time.ts';

type Limits = Pick<Restaurant, 'courierWaitLimitMinutes' | 'approvalLimitMinutes'>;

export function newOrder(id: string, wantedAt: Instant | null, now: Instant): Order {
  return {
    id,
    state: 'NEW',
    version: 0,
    lastChangedAt: now,
    courierId: null,
    courierOfferedAt: null,
    courierAcceptedAt: null,
    kitchenReadyAt: null,
    wantedAt,
    deadlineAt: null,
    cancellation: null,
  };
}

/** Cancels what a closed restaurant cannot cook now, approves if the restaurant enabled that, otherwise waits. */
export function firstCommand(restaurant: Restaurant, wantedAt: Instant | null, now: Instant): Command | null {
  const isForNow = wantedAt === null || wantedAt <= now + restaurant.preparationMinutes * MINUTE_MS;
  if (isForNow && !isRestaurantOpen(restaurant, now)) {
    const text = CANCEL_REASONS.RESTAURANT_CLOSED.meaning;
    return { name: 'cancel', cancellation: { reasonId: 'RESTAURANT_CLOSED', by: 'System', text } };
  }
  return restaurant.autoApprove ? { name: 'approve' } : null;
}

/** The order as saved: with the time at which the system acts if nothing happens before. */
export function withDeadline(before: Order | null, order: Order, limits: Limits): Order {
  return { ...order, deadlineAt: deadlineOf(before, order, limits) };
}

function deadlineOf(before: Order | null, order: Order, limits: Limits): Instant | null {
  if (isFinal(order.state) || order.courierAcceptedAt !== null) return null;
  if (order.state === 'NEW') {
    const minutes = limits.approvalLimitMinutes;
    return minutes === null ? null : order.lastChangedAt + minutes * MINUTE_MS;
  }
  if (before !== null && before.state !== 'NEW') return before.deadlineAt;
  return endOfSearch(order, limits);
}

/** For a new order: no deadline passes before this, whenever it is approved. Null if the order is finished. */
export function earliestDeadline(order: Order, limits: Limits): Instant | null {
  if (isFinal(order.state)) return null;
  return Math.min(order.deadlineAt ?? Infinity, endOfSearch(order, limits));
}

/** Counted from approval; an order for later gets its courier around its wanted time. */
function endOfSearch(order: Order, limits: Limits): Instant {
  return Math.max(order.lastChangedAt, order.wantedAt ?? 0) + limits.courierWaitLimitMinutes * MINUTE_MS;
}
