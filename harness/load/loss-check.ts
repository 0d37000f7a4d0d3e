// Compares acknowledgments and received webhooks with the database and reports every difference.
import type { OrderState } from '../../src/domain/orders/order.ts';
import type { Queryable } from '../../src/store/database/database.ts';
import { findAlteredBytes, findInventions, findLostEvents } from '../evidence/arrivals.ts';
import { readTables, type Arrival, type OrderRow } from '../evidence/evidence.ts';
import { findLostChanges } from '../evidence/orders.ts';
import { findOvertakings } from '../evidence/sequence.ts';
import { findGaps } from '../evidence/transitions.ts';

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

export function createHistory(): History {
  return { orders: new Map(), changes: [], received: [] };
}

export async function findLosses(db: Queryable, history: History): Promise<string[]> {
  const { orders, events } = await readTables(db);
  const clients = history.changes.map((change) => ({ kind: 'changed' as const, ...change }));
  const arrivals = history.received.map(toArrival);
  return [
    ...findLostOrders(orders, history),
    ...findGaps({ orders, events }),
    ...findLostChanges({ clients, events }),
    ...findLostEvents({ events, arrivals }),
    ...findInventions({ events, arrivals }),
    ...findAlteredBytes({ arrivals }),
    ...findOvertakings({ events, arrivals }),
  ];
}

function findLostOrders(orders: readonly OrderRow[], history: History): string[] {
  const byProviderId = Map.groupBy(orders, (order) => order.providerOrderId);
  return [...history.orders].flatMap(([orderId, serviceOrderId]) => {
    const found = (byProviderId.get(orderId) ?? []).map((order) => order.id);
    if (found.length === 1 && found[0] === serviceOrderId) return [];
    return [`order ${orderId} was acknowledged as ${serviceOrderId} and is ${found.join() || 'lost'}`];
  });
}

/** These tests record no times and have one receiver, with an endpoint for each type of event. */
function toArrival(body: string): Arrival {
  const { event } = JSON.parse(body) as { event: string };
  return { at: 0, receiver: 'the receiver', endpoint: event, signature: null, body, answeredAt: 0, status: 200 };
}
