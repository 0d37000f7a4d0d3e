// Shows an order on the command line: state changes and other events in one history.
import { formatWithOffset, type Instant } from '../domain/time.ts';
import type { Queryable } from '../store/database/database.ts';
import { listDeliveriesOfOrder, type DeliveryView } from '../store/webhooks/delivery-log.ts';
import { listEventsOfOrder } from '../store/orders/events.ts';
import { listOrderHistory, type OrderView } from '../store/orders/orders.ts';
import type { JsonRecord, Outcome } from './terminal/command.ts';
import { done } from './terminal/render.ts';

export async function describeOrder(db: Queryable, order: OrderView): Promise<Outcome> {
  const at = (instant: Instant) => formatWithOffset(instant, order.timeZone);
  const deliveries = await listDeliveriesOfOrder(db, order.id);
  return done(`Order ${order.orderNumber} is ${order.state}.`, {
    serviceOrderId: order.id,
    orderId: order.providerOrderId,
    restaurantId: order.providerRestaurantId,
    orderNumber: order.orderNumber,
    status: order.state,
    createdAt: at(order.createdAt),
    courier: order.courier && { courierId: order.courier.id, name: order.courier.name, phone: order.courier.phone },
    cancellation: order.cancellation && {
      cancelReasonId: order.cancellation.reasonId,
      canceledBy: order.cancellation.by,
      reason: order.cancellation.text,
      timestamp: at(order.cancellation.at),
    },
    warnings: order.warnings,
    issues: order.issues,
    history: await listHistory(db, order),
    deliveries: deliveries.map((delivery) => describeDelivery(delivery, at)),
  });
}

async function listHistory(db: Queryable, order: OrderView): Promise<JsonRecord[]> {
  const events = await listEventsOfOrder(db, order.id);
  const notes = await listOrderHistory(db, order.id);
  const entries = [
    { at: order.createdAt, entry: { kind: 'placed', status: 'NEW', previousStatus: null, actor: 'integrator' } },
    ...events
      .filter((event) => event.type === 'order.status_changed')
      .map(({ occurredAt, from, to, actor }) => ({
        at: occurredAt,
        entry: { kind: 'transition', status: to, previousStatus: from, actor },
      })),
    ...notes.map(({ at, kind, actor, courierId, detail }) => ({ at, entry: { kind, actor, courierId, detail } })),
  ];
  // The sort is stable, so entries of the same millisecond stay in the order above.
  return entries
    .sort((left, right) => left.at - right.at)
    .map(({ at, entry }) => ({ timestamp: formatWithOffset(at, order.timeZone), ...entry }));
}

export function describeDelivery(delivery: DeliveryView, at: (instant: Instant) => string): JsonRecord {
  return {
    id: delivery.id,
    event: delivery.type,
    orderId: delivery.orderId,
    serviceOrderId: delivery.serviceOrderId,
    endpoint: delivery.endpoint,
    state: delivery.state,
    attempts: delivery.attempts,
    nextAttemptAt: delivery.dueAt === null ? null : at(delivery.dueAt),
    lastStatus: delivery.lastStatus,
    lastError: delivery.lastError,
    createdAt: at(delivery.createdAt),
  };
}
