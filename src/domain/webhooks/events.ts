// Events and their exact payload bytes: contract 2.2 and 2.3. A body is serialized once, when the event is created;
// every attempt sends and signs those bytes.
import { isJsonObject, type JsonValue } from '../canonical-json.ts';
import { CANCEL_REASONS, isCancelReasonId, type Cancellation } from '../orders/cancellation.ts';
import type { Change, OrderState } from '../orders/order.ts';
import { formatWithOffset, type Instant } from '../time.ts';

export const ENDPOINT_KINDS = ['status', 'cancel'] as const;
export type EndpointKind = (typeof ENDPOINT_KINDS)[number];

export type EventType = 'order.status_changed' | 'order.canceled';

const ENDPOINT_OF: Record<EventType, EndpointKind> = {
  'order.status_changed': 'status',
  'order.canceled': 'cancel',
};

/** Payload fields about an order besides the change itself. */
export interface OrderIdentity {
  providerOrderId: string;
  serviceOrderId: string;
  orderNumber: string;
  providerRestaurantId: string;
  timeZone: string;
}

export interface OrderEvent {
  type: EventType;
  endpoint: EndpointKind;
  from: OrderState;
  to: OrderState;
  version: number;
  at: Instant;
  body: string;
}

/** One event per change, plus a second one, at the same instant, for a change to CANCELED. */
export function eventsOf(change: Change, identity: OrderIdentity, cancellation: Cancellation | null): OrderEvent[] {
  const status = describe(change, 'order.status_changed', statusBody(change, identity));
  if (change.to !== 'CANCELED') return [status];
  if (cancellation === null) throw new Error('a canceled order has no cancellation');
  return [status, describe(change, 'order.canceled', cancelBody(change, identity, cancellation))];
}

function describe(change: Change, type: EventType, body: string): OrderEvent {
  const { from, to, version, at } = change;
  return { type, endpoint: ENDPOINT_OF[type], from, to, version, at, body };
}

// The field order is the contract's; JSON.stringify keeps it and adds no white space.
function statusBody(change: Change, identity: OrderIdentity): string {
  return JSON.stringify({
    event: 'order.status_changed',
    orderId: identity.providerOrderId,
    serviceOrderId: identity.serviceOrderId,
    orderNumber: identity.orderNumber,
    status: change.to,
    previousStatus: change.from,
    timestamp: formatWithOffset(change.at, identity.timeZone),
    provider: 'THIRD_PARTY',
    providerRestaurantId: identity.providerRestaurantId,
  });
}

function cancelBody(change: Change, identity: OrderIdentity, cancellation: Cancellation): string {
  return JSON.stringify({
    event: 'order.canceled',
    orderId: identity.providerOrderId,
    serviceOrderId: identity.serviceOrderId,
    reason: cancellation.text,
    cancelReasonId: cancellation.reasonId,
    canceledBy: cancellation.by,
    timestamp: formatWithOffset(change.at, identity.timeZone),
  });
}

/** Replaces the free text in a cancellation body by the meaning of its reason; returns other bodies unchanged. */
export function withoutReasonText(body: string): string {
  const sent: JsonValue = JSON.parse(body);
  if (!isJsonObject(sent) || sent['reason'] === undefined) return body;
  const reasonId = sent['cancelReasonId'];
  const isKnown = typeof reasonId === 'string' && isCancelReasonId(reasonId);
  const reason = isKnown ? CANCEL_REASONS[reasonId].meaning : '';
  return JSON.stringify({ ...sent, reason });
}
