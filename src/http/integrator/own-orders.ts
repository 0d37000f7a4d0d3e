// Contract extensions: an integrator reads or cancels its own order by its own id.
import type { OrderChanger } from '../../actions/orders/change-order.ts';
import type { OrderReadAnswer } from '../../contract/integrator/answers.ts';
import { readCancelRequest } from '../../contract/integrator/requests.ts';
import { CANCEL_REASONS } from '../../domain/orders/cancellation.ts';
import type { JsonValue } from '../../domain/canonical-json.ts';
import { isFinal } from '../../domain/orders/order.ts';
import { refuse, refused } from '../../domain/refusals.ts';
import { formatWithOffset } from '../../domain/time.ts';
import type { Queryable } from '../../store/database/database.ts';
import { listEventsOfOrder } from '../../store/orders/events.ts';
import { findOrderByProviderId, type OrderView } from '../../store/orders/orders.ts';
import { findOrderEta } from '../../store/planning/plans.ts';
import { ok, type Answer } from '../protocol/answer.ts';
import type { IntegratorCall } from './guard.ts';

export interface OrderExtensionDeps {
  db: Queryable;
  changer: OrderChanger;
}

export async function readOrder(deps: Pick<OrderExtensionDeps, 'db'>, call: IntegratorCall): Promise<Answer> {
  const order = await findOrder(deps.db, call);
  return order === undefined ? refused(refuse('ORDER_002')) : ok(await describeOrder(deps.db, order));
}

export async function cancelOrder(deps: OrderExtensionDeps, call: IntegratorCall): Promise<Answer> {
  const body = await call.readBody();
  if (!body.ok) return refused(body.refusal);
  const request = readCancelRequest(body.value);
  if (!request.ok) return refused(request.refusal);
  const order = await findOrder(deps.db, call);
  if (order === undefined) return refused(refuse('ORDER_002'));
  const { cancelReasonId, reason } = request.value;
  const text = reason ?? CANCEL_REASONS[cancelReasonId].meaning;
  const result = await deps.changer.change({
    orderId: order.id,
    scope: { restaurantId: order.restaurantId },
    command: { name: 'cancel', cancellation: { reasonId: cancelReasonId, by: 'Restaurant', text } },
    actor: { role: 'restaurant' },
  });
  return result.kind === 'refused' ? refused(result.refusal) : readOrder(deps, call);
}

// Another restaurant's order, an impossible id and an unknown one all get the same answer: not found.
async function findOrder(db: Queryable, call: IntegratorCall): Promise<OrderView | undefined> {
  const orderId = call.params['orderId'] ?? '';
  if (!isPossibleOrderId(orderId)) return undefined;
  call.context.orderId = orderId;
  return findOrderByProviderId(db, call.credential.restaurant.id, orderId);
}

const MAX_ID_UNITS = 256;

/** Ids that intake would refuse are never queried: the database can't even store some of them. */
function isPossibleOrderId(text: string): boolean {
  return text !== '' && text.length <= MAX_ID_UNITS && !/\p{Cc}/u.test(text) && text.isWellFormed();
}

/** Issues are returned as they were stored. */
type ReadOrder = Omit<OrderReadAnswer, 'issues'> & { issues: readonly JsonValue[] };

async function describeOrder(db: Queryable, order: OrderView): Promise<ReadOrder> {
  const events = await listEventsOfOrder(db, order.id);
  const at = (instant: number): string => formatWithOffset(instant, order.timeZone);
  const { courier, cancellation } = order;
  return {
    orderId: order.providerOrderId,
    restaurantId: order.providerRestaurantId,
    serviceOrderId: order.id,
    orderNumber: order.orderNumber,
    status: order.state,
    createdAt: at(order.createdAt),
    warnings: order.warnings,
    issues: order.issues,
    history: [
      { status: 'NEW', previousStatus: null, timestamp: at(order.createdAt) },
      ...events
        .filter((event) => event.type === 'order.status_changed')
        .map((event) => ({ status: event.to, previousStatus: event.from, timestamp: at(event.occurredAt) })),
    ],
    courier:
      courier?.hasAccepted === true
        ? { name: courier.name, ...(courier.phone !== null && { phone: courier.phone }) }
        : null,
    eta: await describeEta(db, order),
    canceled: cancellation && {
      reason: cancellation.text,
      cancelReasonId: cancellation.reasonId,
      canceledBy: cancellation.by,
      timestamp: at(cancellation.at),
    },
  };
}

async function describeEta(db: Queryable, order: OrderView): Promise<ReadOrder['eta']> {
  if (isFinal(order.state)) return null;
  const eta = await findOrderEta(db, order.id);
  if (eta === undefined) return null;
  const at = (instant: number | null) => (instant === null ? null : formatWithOffset(instant, order.timeZone));
  return { pickupAt: at(eta.pickupAt), dropoffAt: at(eta.dropoffAt) };
}
