// The parameters of the statements in order-writes.ts: a column each, as an array.
import { isFinal, type Order } from '../domain/order.ts';
import { plainArray, textArray } from './array-parameter.ts';
import { toTimestamp } from './order-rows.ts';
import type { EventWrite, NewOrderRow } from './order-writes.ts';

// The parameters $1 to $15 of every statement that writes events.
export function eventParameters({ events, now, nodeId }: EventWrite): unknown[] {
  const knowsWhatItHolds = events.every((event) => event.heldIds !== undefined);
  return [
    toTimestamp(now),
    nodeId,
    plainArray(events.map((event) => event.id)),
    plainArray(events.map((event) => event.restaurantId)),
    plainArray(events.map((event) => event.orderId)),
    plainArray(events.map((event) => event.version)),
    plainArray(events.map((event) => event.type)),
    plainArray(events.map((event) => event.endpoint)),
    plainArray(events.map((event) => event.from)),
    plainArray(events.map((event) => event.to)),
    plainArray(events.map((event) => event.actor)),
    plainArray(events.map((event) => event.at)),
    events.map((event) => event.body).join('\n'),
    knowsWhatItHolds ? plainArray(events.flatMap((event) => event.heldIds ?? [])) : null,
    plainArray(events.map((event) => event.wantsLease)),
  ];
}

// The content is passed on in the very bytes that arrived: reading them as text only to write them again would be the
// largest part of an intake. Keys in one order everywhere, so that two nodes cannot wait for each other.
export function placedParameters(rows: readonly NewOrderRow[]): unknown[] {
  const sorted = rows.toSorted(
    (a, b) => compare(a.restaurantId, b.restaurantId) || compare(a.providerOrderId, b.providerOrderId),
  );
  let end = 1;
  const starts = sorted.map((row) => (end += row.content.length) - row.content.length);
  const orders = sorted.map((row) => row.order);
  return [
    plainArray(orders.map((order) => order.id)),
    plainArray(sorted.map((row) => row.restaurantId)),
    textArray(sorted.map((row) => row.providerOrderId)),
    plainArray(sorted.map((row) => row.orderNumber)),
    plainArray(orders.map((order) => order.state)),
    plainArray(orders.map((order) => order.version)),
    plainArray(orders.map((order) => order.lastChangedAt)),
    plainArray(starts),
    Buffer.concat(sorted.map((row) => row.content)),
    plainArray(sorted.map((row) => row.content.length)),
    textArray(sorted.map((row) => row.warnings)),
    textArray(sorted.map((row) => row.issues)),
    plainArray(orders.map((order) => order.wantedAt)),
    plainArray(orders.map((order) => order.deadlineAt)),
    ...endingParameters(orders),
    plainArray(sorted.map((row) => row.lookAt)),
  ];
}

export function changeParameters(orders: readonly Order[]): unknown[] {
  return [
    plainArray(orders.map((order) => order.id)),
    plainArray(orders.map((order) => order.state)),
    plainArray(orders.map((order) => order.version)),
    plainArray(orders.map((order) => order.lastChangedAt)),
    plainArray(orders.map((order) => order.courierId)),
    plainArray(orders.map((order) => order.courierOfferedAt)),
    plainArray(orders.map((order) => order.courierAcceptedAt)),
    plainArray(orders.map((order) => order.kitchenReadyAt)),
    plainArray(orders.map((order) => order.deadlineAt)),
    ...endingParameters(orders),
  ];
}

function endingParameters(orders: readonly Order[]): unknown[] {
  return [
    plainArray(orders.map((order) => order.cancellation?.reasonId ?? null)),
    textArray(orders.map((order) => order.cancellation?.text ?? null)),
    plainArray(orders.map((order) => order.cancellation?.by ?? null)),
    plainArray(orders.map((order) => (isFinal(order.state) ? order.lastChangedAt : null))),
  ];
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
