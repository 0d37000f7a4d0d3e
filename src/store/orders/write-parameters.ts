// The parameters of the statements in writes.ts: one array per column.
import { isFinal, type Order } from '../../domain/orders/order.ts';
import {
  bigintArray,
  booleanArray,
  intArray,
  jsonArray,
  textArray,
  timestampArray,
  uuidArray,
} from '../database/array-parameter.ts';
import { toTimestamp } from '../database/timestamps.ts';
import type { HistoryNote } from '../../domain/orders/history-notes.ts';
import type { OrderEvent } from '../../domain/webhooks/events.ts';
import type { Instant } from '../../domain/time.ts';

export interface NewOrderRow {
  order: Order;
  restaurantId: string;
  providerOrderId: string;
  orderNumber: string;
  /** JSON as UTF-8 bytes. */
  content: Uint8Array;
  /** JSON text. */
  facts: string;
  warnings: string;
  issues: string;
  /** When to check deadlines first; no deadline passes before that. */
  lookAt: Instant | null;
  createdAt: Instant;
}

export interface NewEvent extends OrderEvent {
  id: string;
  restaurantId: string;
  orderId: string;
  actor: string;
  /** Whether the committing node wants to lease the delivery and send it from memory. */
  wantsLease: boolean;
  /** Deliveries of the same order that the node has in memory; if omitted, it is assumed to know all of its leases. */
  heldIds?: readonly string[];
}

export interface NewNote extends HistoryNote {
  orderId: string;
  actor: string;
}

export interface EventWrite {
  events: readonly NewEvent[];
  now: Instant;
  nodeId: string | null;
}

/** Parameters $1 to $17 of every statement that writes events. */
export function eventParameters({ events, now, nodeId }: EventWrite): unknown[] {
  const knowsWhatItHolds = events.every((event) => event.heldIds !== undefined);
  const { restaurants, places } = countByRestaurant(events);
  return [
    toTimestamp(now),
    nodeId,
    uuidArray(events, (event) => event.id),
    uuidArray(events, (event) => event.restaurantId),
    uuidArray(events, (event) => event.orderId),
    intArray(events, (event) => event.version),
    textArray(events, (event) => event.type),
    textArray(events, (event) => event.endpoint),
    textArray(events, (event) => event.from),
    textArray(events, (event) => event.to),
    textArray(events, (event) => event.actor),
    timestampArray(events, (event) => event.at),
    // Writing and splitting one text for all bodies costs less than an array.
    events.map((event) => event.body).join('\n'),
    booleanArray(events, (event) => event.wantsLease),
    intArray(places, itself),
    knowsWhatItHolds
      ? uuidArray(
          events.flatMap((event) => event.heldIds ?? []),
          itself,
        )
      : null,
    uuidArray(restaurants, ([id]) => id),
  ];
}

/** The number of events per restaurant, in the same order as the restaurants. */
export function countParameter({ events }: Pick<EventWrite, 'events'>): Buffer {
  return intArray(countByRestaurant(events).restaurants, ([, count]) => count);
}

/** The number of events per restaurant, and each event's 1-based position among its restaurant's events. */
function countByRestaurant(events: EventWrite['events']): { restaurants: [string, number][]; places: number[] } {
  const counts = new Map<string, number>();
  const places = events.map(({ restaurantId }) => {
    const place = (counts.get(restaurantId) ?? 0) + 1;
    counts.set(restaurantId, place);
    return place;
  });
  return { restaurants: [...counts], places };
}

// The content is passed on as the bytes that arrived: decoding and re-encoding them would be the largest cost of order
// intake. Keys are sorted the same way everywhere, so that two nodes cannot deadlock.
export function placedParameters(rows: readonly NewOrderRow[]): unknown[] {
  const sorted = rows.toSorted(
    (a, b) => compare(a.restaurantId, b.restaurantId) || compare(a.providerOrderId, b.providerOrderId),
  );
  return [
    uuidArray(sorted, ({ order }) => order.id),
    uuidArray(sorted, (row) => row.restaurantId),
    textArray(sorted, (row) => row.providerOrderId),
    bigintArray(sorted, (row) => Number(row.orderNumber)),
    textArray(sorted, ({ order }) => order.state),
    intArray(sorted, ({ order }) => order.version),
    timestampArray(sorted, ({ order }) => order.lastChangedAt),
    jsonArray(sorted, (row) => row.content),
    jsonArray(sorted, (row) => row.facts),
    jsonArray(sorted, (row) => row.warnings),
    jsonArray(sorted, (row) => row.issues),
    timestampArray(sorted, ({ order }) => order.wantedAt),
    timestampArray(sorted, ({ order }) => order.deadlineAt),
    ...endingParameters(sorted.map((row) => row.order)),
    timestampArray(sorted, (row) => row.lookAt),
  ];
}

export function changeParameters(orders: readonly Order[]): unknown[] {
  return [
    uuidArray(orders, (order) => order.id),
    textArray(orders, (order) => order.state),
    intArray(orders, (order) => order.version),
    timestampArray(orders, (order) => order.lastChangedAt),
    uuidArray(orders, (order) => order.courierId),
    timestampArray(orders, (order) => order.courierOfferedAt),
    timestampArray(orders, (order) => order.courierAcceptedAt),
    timestampArray(orders, (order) => order.kitchenReadyAt),
    timestampArray(orders, (order) => order.deadlineAt),
    ...endingParameters(orders),
  ];
}

function endingParameters(orders: readonly Order[]): unknown[] {
  return [
    textArray(orders, (order) => order.cancellation?.reasonId ?? null),
    textArray(orders, (order) => order.cancellation?.text ?? null),
    textArray(orders, (order) => order.cancellation?.by ?? null),
    timestampArray(orders, (order) => (isFinal(order.state) ? order.lastChangedAt : null)),
  ];
}

function itself<Value>(value: Value): Value {
  return value;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
