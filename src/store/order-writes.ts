// The only writes of orders, events and newborn deliveries. Each function is one statement, so the new state, its
// event and its deliveries are committed together or not at all.
import type { Order } from '../domain/order.ts';
import type { HistoryNote } from '../domain/order.ts';
import type { OrderEvent } from '../domain/events.ts';
import type { Instant } from '../domain/time.ts';
import type { Queryable } from './database.ts';
import { fromNewOrder, fromOrder, toTimestamp } from './order-rows.ts';

export interface NewOrderRow {
  order: Order;
  restaurantId: string;
  providerOrderId: string;
  orderNumber: string;
  /** JSON in UTF-8. */
  content: Uint8Array;
  /** JSON texts. */
  warnings: string;
  issues: string;
  createdAt: Instant;
}

export interface NewEvent extends OrderEvent {
  id: string;
  restaurantId: string;
  orderId: string;
  actor: string;
  /** Whether the committing node wants to send it from memory. */
  wantsLease: boolean;
  /** What that node has in memory of the same order; left out, it is taken to know everything that is leased to it. */
  heldIds?: readonly string[];
}

export interface NewNote extends HistoryNote {
  orderId: string;
  actor: string;
}

export interface Births {
  /** Events whose delivery now belongs to the committing node. */
  leasedEventIds: Set<string>;
  /** Whether some delivery is due that another node has to claim. */
  hasUnleased: boolean;
}

// Restaurants are locked in one order everywhere, so that two nodes cannot wait for each other; a delivery is born
// leased only when nothing of the same order and endpoint is under way or waiting elsewhere, nor leased to the same
// node without its knowing, because the answer to that commit was lost or has not arrived yet.
const WRITE_EVENTS = `
  locked as materialized (
    select c.restaurant_id from event_counters c
    where c.restaurant_id = any(array(select distinct restaurant_id from new_event))
    order by c.restaurant_id
    for update
  ),
  counted as (
    update event_counters c
    set last_sequence = c.last_sequence + added.events
    from (select restaurant_id, count(*) as events from new_event group by restaurant_id) added
    where c.restaurant_id = added.restaurant_id
      and c.restaurant_id = any(array(select restaurant_id from locked))
    returning c.restaurant_id, c.last_sequence - added.events as base
  ),
  recorded as (
    insert into events
      (id, restaurant_id, sequence, order_id, version, type, from_state, to_state, actor, occurred_at, body)
    select e.id, e.restaurant_id,
      counted.base + row_number() over (partition by e.restaurant_id order by e.ordinal),
      e.order_id, e.version, e.type, e.from_state, e.to_state, e.actor, e.occurred_at, e.body
    from new_event e
    join counted on counted.restaurant_id = e.restaurant_id
  ),
  queued as (
    insert into deliveries (event_id, restaurant_id, endpoint, order_id, version, due_at, leased_by, created_at)
    select e.id, e.restaurant_id, e.endpoint, e.order_id, e.version,
      case when e.is_open then $3::timestamptz end,
      case when e.is_open and e.wants_lease and not exists (
        select from deliveries other
        where other.order_id = e.order_id and other.endpoint = e.endpoint
          and case
            when other.leased_by = $4::bigint then other.event_id <> all(e.held_ids)
            else other.leased_by is not null or other.attempts = 0
          end
      ) then $4::bigint end,
      $3::timestamptz
    from new_event e
    returning event_id, due_at, leased_by
  )`;

// A scalar subquery is asked once for each event, through two primary keys, however the planner guesses.
const NEW_EVENTS = `
    select e.*, (
      select p.url is not null and r.integration_enabled
      from endpoints p join restaurants r on r.id = p.restaurant_id
      where p.restaurant_id = e.restaurant_id and p.kind = e.endpoint
    ) as is_open
    from json_to_recordset($2::json) as e(ordinal int, id uuid, restaurant_id uuid, order_id uuid, version int, type text, endpoint text,
  from_state text, to_state text, actor text, occurred_at timestamptz, body text, wants_lease boolean,
      held_ids uuid[])`;

const INSERT_PLACED = `
  with placed as (
    insert into orders (id, restaurant_id, provider_order_id, order_number, state, version, last_changed_at, content,
      warnings, issues, wanted_at, deadline_at, cancel_reason_id, cancel_reason, canceled_by, created_at,
      finished_at)
    select id, restaurant_id, provider_order_id, order_number, state, version, last_changed_at, content,
      warnings, issues, wanted_at, deadline_at, cancel_reason_id, cancel_reason,
      canceled_by, created_at, finished_at
    from json_to_recordset($1::json) as o(id uuid, restaurant_id uuid, provider_order_id text, order_number bigint,
      state text, version int, last_changed_at timestamptz, content json, warnings json,
      issues json, wanted_at timestamptz, deadline_at timestamptz, cancel_reason_id text, cancel_reason text,
      canceled_by text, created_at timestamptz, finished_at timestamptz)
    order by restaurant_id, provider_order_id
    on conflict (restaurant_id, provider_order_id) do nothing
    returning id
  ),
  new_event as materialized (
    ${NEW_EVENTS}
    where e.order_id in (select id from placed)
  ),
  ${WRITE_EVENTS}
  select placed.id as order_id, null::uuid as event_id, false as is_due, false as is_leased from placed
  union all
  select null, event_id, due_at is not null, leased_by is not null from queued`;

const UPDATE_ORDERS = `
  with changed as (
    update orders o
    set state = n.state, version = n.version, last_changed_at = n.last_changed_at, courier_id = n.courier_id,
      courier_offered_at = n.courier_offered_at, courier_accepted_at = n.courier_accepted_at,
      kitchen_ready_at = n.kitchen_ready_at, deadline_at = n.deadline_at, cancel_reason_id = n.cancel_reason_id,
      cancel_reason = n.cancel_reason, canceled_by = n.canceled_by, finished_at = n.finished_at
    from json_to_recordset($1::json) as n(id uuid, state text, version int, last_changed_at timestamptz,
      courier_id uuid, courier_offered_at timestamptz, courier_accepted_at timestamptz, kitchen_ready_at timestamptz,
      deadline_at timestamptz, cancel_reason_id text, cancel_reason text, canceled_by text, finished_at timestamptz)
    where o.id = n.id and o.id = any($6::uuid[])
  ),
  noted as (
    insert into order_history (order_id, at, kind, actor, courier_id, detail)
    select order_id, at, kind, actor, courier_id, detail
    from json_to_recordset($5::json) as h(order_id uuid, at timestamptz, kind text, actor text, courier_id uuid,
      detail text)
  ),
  new_event as materialized (
    ${NEW_EVENTS}
  ),
  ${WRITE_EVENTS}
  select null::uuid as order_id, event_id, due_at is not null as is_due, leased_by is not null as is_leased from queued`;

interface BirthRow {
  order_id: string | null;
  event_id: string | null;
  is_due: boolean;
  is_leased: boolean;
}

export async function takeOrderNumbers(db: Queryable, count: number): Promise<string[]> {
  const rows = await db.query<{ number: string }>(
    { name: 'take_order_numbers', text: `select nextval('order_numbers') as number from generate_series(1, $1::int)` },
    [count],
  );
  return rows.map((row) => row.number);
}

/** Orders that exist already are left alone, with their events; the answer says which ones were placed. */
export async function insertPlacedOrders(
  db: Queryable,
  write: { orders: readonly NewOrderRow[]; events: readonly NewEvent[]; now: Instant; nodeId: string | null },
): Promise<Births & { placedIds: Set<string> }> {
  const rows = await db.query<BirthRow>({ name: 'insert_placed_orders', text: INSERT_PLACED }, [
    ordersJson(write.orders),
    eventsJson(write.events),
    toTimestamp(write.now),
    write.nodeId,
  ]);
  const placedIds = new Set<string>();
  for (const row of rows) if (row.order_id !== null) placedIds.add(row.order_id);
  return { placedIds, ...birthsOf(rows) };
}

export async function updateOrders(
  tx: Queryable,
  write: {
    orders: readonly Order[];
    events: readonly NewEvent[];
    notes: readonly NewNote[];
    now: Instant;
    nodeId: string | null;
  },
): Promise<Births> {
  const notes = write.notes.map((note) => ({
    order_id: note.orderId,
    at: toTimestamp(note.at),
    kind: note.kind,
    actor: note.actor,
    courier_id: note.courierId,
    detail: note.detail,
  }));
  const rows = await tx.query<BirthRow>({ name: 'update_orders', text: UPDATE_ORDERS }, [
    JSON.stringify(write.orders.map(fromOrder)),
    eventsJson(write.events),
    toTimestamp(write.now),
    write.nodeId,
    JSON.stringify(notes),
    write.orders.map((order) => order.id),
  ]);
  return birthsOf(rows);
}

function birthsOf(rows: readonly BirthRow[]): Births {
  const leasedEventIds = new Set<string>();
  let hasUnleased = false;
  for (const row of rows) {
    if (row.event_id === null) continue;
    if (row.is_leased) leasedEventIds.add(row.event_id);
    else if (row.is_due) hasUnleased = true;
  }
  return { leasedEventIds, hasUnleased };
}

const END_OF_ORDER = Buffer.from('}');
const END_OF_ORDERS = Buffer.from(']');

// The content is passed on in the very bytes that arrived: reading them as text only to write them again would be the
// largest part of an intake.
function ordersJson(rows: readonly NewOrderRow[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const [index, row] of rows.entries()) {
    const columns = JSON.stringify({
      ...fromNewOrder(row.order),
      restaurant_id: row.restaurantId,
      provider_order_id: row.providerOrderId,
      order_number: row.orderNumber,
      created_at: toTimestamp(row.createdAt),
    });
    const start = `${index === 0 ? '[' : ','}${columns.slice(0, -1)}`;
    const head = `${start},"warnings":${row.warnings},"issues":${row.issues},"content":`;
    parts.push(Buffer.from(head), row.content, END_OF_ORDER);
  }
  parts.push(END_OF_ORDERS);
  return Buffer.concat(parts);
}

function eventsJson(events: readonly NewEvent[]): string {
  return JSON.stringify(
    events.map((event, ordinal) => ({
      ordinal,
      id: event.id,
      restaurant_id: event.restaurantId,
      order_id: event.orderId,
      version: event.version,
      type: event.type,
      endpoint: event.endpoint,
      from_state: event.from,
      to_state: event.to,
      actor: event.actor,
      occurred_at: toTimestamp(event.at),
      body: event.body,
      wants_lease: event.wantsLease,
      held_ids: event.heldIds,
    })),
  );
}
