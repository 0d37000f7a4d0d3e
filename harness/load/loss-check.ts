// Compares acknowledgments and received webhooks with the database and reports every difference.
import type { OrderState } from '../../src/domain/orders/order.ts';
import type { Queryable } from '../../src/store/database/database.ts';

/** A transition that the service acknowledged to a client. */
export interface AcknowledgedChange {
  serviceOrderId: string;
  to: OrderState;
}

/** Append-only record of what clients and receivers saw. */
export interface History {
  /** Keyed by the integrator's order id; the value is the service's id from the acknowledgment. */
  orders: Map<string, string>;
  changes: AcknowledgedChange[];
  /** Bodies that a receiver answered with 2xx, in order of arrival. */
  received: string[];
}

interface OrderRow {
  id: string;
  providerOrderId: string;
  state: string;
  version: number;
}

interface EventRow {
  orderId: string;
  version: number;
  type: string;
  fromState: string;
  toState: string;
  body: string;
  isQueued: boolean;
}

export function createHistory(): History {
  return { orders: new Map(), changes: [], received: [] };
}

export async function findLosses(db: Queryable, history: History): Promise<string[]> {
  const orders = await db.query<OrderRow>('select id, provider_order_id, state, version from orders');
  const events = await db.query<EventRow>(
    `select e.order_id, e.version, e.type, e.from_state, e.to_state, e.body, d.event_id is not null as is_queued
     from events e left join deliveries d on d.event_id = e.id
     order by e.order_id, e.version, e.type`,
  );
  return [
    ...findLostOrders(orders, history),
    ...findGaps(orders, events),
    ...findLostChanges(events, history),
    ...findLostEvents(events, history),
    ...findInventions(events, history),
    ...findOvertakings(events, history),
  ];
}

function findLostOrders(orders: readonly OrderRow[], history: History): string[] {
  const losses: string[] = [];
  const idsByProviderId = Map.groupBy(orders, (order) => order.providerOrderId);
  for (const [orderId, serviceOrderId] of history.orders) {
    const found = (idsByProviderId.get(orderId) ?? []).map((order) => order.id);
    if (found.length !== 1 || found[0] !== serviceOrderId) {
      losses.push(`order ${orderId} was acknowledged as ${serviceOrderId} and is ${found.join() || 'lost'}`);
    }
  }
  return losses;
}

/** Every state change from NEW to the current state has exactly one event. */
function findGaps(orders: readonly OrderRow[], events: readonly EventRow[]): string[] {
  const losses: string[] = [];
  const eventsByOrder = Map.groupBy(events, (event) => event.orderId);
  for (const order of orders) {
    const changes = (eventsByOrder.get(order.id) ?? []).filter((event) => event.type === 'order.status_changed');
    const path = ['NEW', ...changes.map((event) => event.toState)];
    const isWhole =
      changes.length === order.version &&
      changes.every((event, index) => event.version === index + 1 && event.fromState === path[index]) &&
      path.at(-1) === order.state;
    if (!isWhole) {
      losses.push(`order ${order.id} is ${order.state}, version ${order.version}, and its events say ${path.join()}`);
    }
    const cancellations = (eventsByOrder.get(order.id) ?? []).length - changes.length;
    if (cancellations !== (order.state === 'CANCELED' ? 1 : 0)) {
      losses.push(`order ${order.id} is ${order.state} and has ${cancellations} cancel events`);
    }
  }
  return losses;
}

function findLostChanges(events: readonly EventRow[], history: History): string[] {
  const committed = new Set(events.map((event) => `${event.orderId} ${event.toState}`));
  return history.changes
    .filter((change) => !committed.has(`${change.serviceOrderId} ${change.to}`))
    .map((change) => `order ${change.serviceOrderId} was acknowledged as ${change.to} but never reached that state`);
}

function findLostEvents(events: readonly EventRow[], history: History): string[] {
  const received = new Set(history.received);
  return events
    .filter((event) => !event.isQueued && !received.has(event.body))
    .map((event) => `event ${event.version} of order ${event.orderId} was not received and is not due`);
}

function findInventions(events: readonly EventRow[], history: History): string[] {
  const committed = new Set(events.map((event) => event.body));
  return history.received.filter((body) => !committed.has(body)).map((body) => `never committed: ${body}`);
}

/** First receipts of one order at one endpoint arrive in the order of its events. */
function findOvertakings(events: readonly EventRow[], history: History): string[] {
  const losses: string[] = [];
  const eventsByBody = new Map(events.map((event) => [event.body, event]));
  const newest = new Map<string, number>();
  for (const body of new Set(history.received)) {
    const event = eventsByBody.get(body);
    if (event === undefined) continue;
    const lane = `${event.orderId} ${event.type}`;
    const last = newest.get(lane) ?? 0;
    if (event.version < last) losses.push(`event ${event.version} of ${event.orderId} first arrived after ${last}`);
    newest.set(lane, Math.max(last, event.version));
  }
  return losses;
}
