// What the statements in writes.ts send: one list of columns for each kind of row.
import type { HistoryNote } from '../../domain/orders/history-notes.ts';
import { isFinal, type Order } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { OrderEvent } from '../../domain/webhooks/events.ts';
import { column } from '../database/array-parameter.ts';
import type { Columns } from '../database/prepared.ts';

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

/** An event with its 1-based position among the new events of its restaurant. */
export interface NumberedEvent {
  event: NewEvent;
  place: number;
}

export const EVENT_COLUMNS: Columns<NumberedEvent> = {
  id: column.uuid(({ event }) => event.id),
  restaurant_id: column.uuid(({ event }) => event.restaurantId),
  order_id: column.uuid(({ event }) => event.orderId),
  version: column.int(({ event }) => event.version),
  type: column.text(({ event }) => event.type),
  endpoint: column.text(({ event }) => event.endpoint),
  from_state: column.text(({ event }) => event.from),
  to_state: column.text(({ event }) => event.to),
  actor: column.text(({ event }) => event.actor),
  occurred_at: column.timestamp(({ event }) => event.at),
  body: column.lines(({ event }) => event.body),
  wants_lease: column.boolean(({ event }) => event.wantsLease),
  place: column.int(({ place }) => place),
};

/** How many events a restaurant gets. */
export interface EventCount {
  restaurantId: string;
  count: number;
}

export const COUNT_COLUMNS: Columns<EventCount> = {
  restaurant_id: column.uuid(({ restaurantId }) => restaurantId),
  events: column.int(({ count }) => count),
};

export const NOTE_COLUMNS: Columns<NewNote> = {
  order_id: column.uuid((note) => note.orderId),
  at: column.timestamp((note) => note.at),
  kind: column.text((note) => note.kind),
  actor: column.text((note) => note.actor),
  courier_id: column.uuid((note) => note.courierId),
  detail: column.text((note) => note.detail),
};

/** What every change of an order writes. */
const stateColumns = <Row>(orderOf: (row: Row) => Order): Columns<Row> => ({
  state: column.text((row) => orderOf(row).state),
  version: column.int((row) => orderOf(row).version),
  last_changed_at: column.timestamp((row) => orderOf(row).lastChangedAt),
  deadline_at: column.timestamp((row) => orderOf(row).deadlineAt),
  cancel_reason_id: column.text((row) => orderOf(row).cancellation?.reasonId ?? null),
  cancel_reason: column.text((row) => orderOf(row).cancellation?.text ?? null),
  canceled_by: column.text((row) => orderOf(row).cancellation?.by ?? null),
  finished_at: column.timestamp((row) => (isFinal(orderOf(row).state) ? orderOf(row).lastChangedAt : null)),
});

// The content is passed on as the bytes that arrived: decoding and re-encoding them would be the largest cost of order
// intake.
export const PLACED_COLUMNS: Columns<NewOrderRow> = {
  id: column.uuid(({ order }) => order.id),
  restaurant_id: column.uuid((row) => row.restaurantId),
  provider_order_id: column.text((row) => row.providerOrderId),
  order_number: column.bigint((row) => Number(row.orderNumber)),
  content: column.json((row) => row.content),
  facts: column.json((row) => row.facts),
  warnings: column.json((row) => row.warnings),
  issues: column.json((row) => row.issues),
  wanted_at: column.timestamp(({ order }) => order.wantedAt),
  look_at: column.timestamp((row) => row.lookAt),
  created_at: column.timestamp((row) => row.createdAt),
  ...stateColumns<NewOrderRow>(({ order }) => order),
};

export const CHANGED_COLUMNS: Columns<Order> = {
  id: column.uuid((order) => order.id),
  courier_id: column.uuid((order) => order.courierId),
  courier_offered_at: column.timestamp((order) => order.courierOfferedAt),
  courier_accepted_at: column.timestamp((order) => order.courierAcceptedAt),
  kitchen_ready_at: column.timestamp((order) => order.kitchenReadyAt),
  ...stateColumns<Order>((order) => order),
};
