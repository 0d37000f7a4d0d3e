// Checks that versions have no gaps, every transition is in the contract, and a cancellation has both its events.
import type { Evidence, EventRow, OrderRow } from './evidence.ts';

// Typed by hand from contract 3.
const NEXT: Record<string, readonly string[]> = {
  NEW: ['VALIDATED', 'CANCELED'],
  VALIDATED: ['ROUTED', 'ASSIGNED', 'PREPARED', 'CANCELED'],
  ROUTED: ['ASSIGNED', 'CANCELED'],
  ASSIGNED: ['ACCEPTED', 'CANCELED'],
  ACCEPTED: ['PREPARED', 'CANCELED'],
  PREPARED: ['ON_DELIVERY', 'CANCELED'],
  ON_DELIVERY: ['DELIVERED', 'CANCELED'],
  DELIVERED: [],
  CANCELED: [],
};

export function findGaps({ orders, events }: Pick<Evidence, 'orders' | 'events'>): string[] {
  const byOrder = Map.groupBy(events, (event) => event.orderId);
  return orders.flatMap((order) => {
    const own = byOrder.get(order.id) ?? [];
    const changes = own.filter((event) => event.type === 'order.status_changed');
    return [...checkPath(order, changes), ...checkCancellation(order, own.length - changes.length)];
  });
}

function checkPath(order: OrderRow, changes: readonly EventRow[]): string[] {
  const path = ['NEW', ...changes.map((event) => event.to)];
  const isWhole =
    changes.length === order.version &&
    path.at(-1) === order.state &&
    changes.every((event, index) => event.version === index + 1 && event.from === path[index]);
  return isWhole
    ? []
    : [`order ${order.id} is ${order.state}, version ${order.version}; its events: ${path.join(' ')}`];
}

function checkCancellation(order: OrderRow, count: number): string[] {
  const wanted = order.state === 'CANCELED' ? 1 : 0;
  return count === wanted ? [] : [`order ${order.id} is ${order.state} and has ${count} cancel events`];
}

export function findIllegalTransitions({ events }: Evidence): string[] {
  return events
    .filter((event) => NEXT[event.from]?.includes(event.to) !== true)
    .map((event) => `order ${event.orderId} went from ${event.from} to ${event.to}`);
}
