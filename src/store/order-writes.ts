// The only writes of orders, events and newborn deliveries. Each function is one statement, so the new state, its
// event and its deliveries are committed together or not at all.
import type { Order } from '../domain/order.ts';
import type { HistoryNote } from '../domain/order-history.ts';
import type { OrderEvent } from '../domain/events.ts';
import type { Instant } from '../domain/time.ts';
import type { Queryable } from './database.ts';
import { changeParameters, eventParameters, placedParameters } from './order-parameters.ts';
import { toTimestamp } from './order-rows.ts';

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
  /** When to look first whether a deadline has passed; before that none does. */
  lookAt: Instant | null;
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
// node without its knowing, because the answer to that commit was lost or has not arrived yet. (Asked with a limit: of
// "not exists" the planner makes a hash of the whole queue.)
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
      e.order_id, e.version, e.type, e.from_state, e.to_state, e.actor, to_timestamp(e.occurred_at_ms / 1000), e.body
    from new_event e
    join counted on counted.restaurant_id = e.restaurant_id
  ),
  queued as (
    insert into deliveries (event_id, restaurant_id, endpoint, order_id, version, due_at, leased_by, occurred_at)
    select e.id, e.restaurant_id, e.endpoint, e.order_id, e.version,
      case when e.is_open then $1::timestamptz end,
      case when e.is_open and e.wants_lease and (
        select true from deliveries other
        where other.order_id = e.order_id and other.endpoint = e.endpoint
          and case
            when other.leased_by = $2::bigint then other.event_id <> all($14::uuid[])
            else other.leased_by is not null or other.attempts = 0
          end
        limit 1
      ) is null then $2::bigint end,
      to_timestamp(e.occurred_at_ms / 1000)
    from new_event e
    returning event_id, due_at, leased_by
  )`;

// Bodies are compact JSON, which never holds a line break as such. The scalar subquery is asked once for each event,
// through two primary keys, however the planner guesses.
const NEW_EVENTS = `
    select e.*, (
      select p.url is not null and r.integration_enabled
      from endpoints p join restaurants r on r.id = p.restaurant_id
      where p.restaurant_id = e.restaurant_id and p.kind = e.endpoint
    ) as is_open
    from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::int[], $7::text[], $8::text[], $9::text[], $10::text[],
      $11::text[], $12::float8[], string_to_array($13::text, e'\\n'), $15::boolean[])
      with ordinality as e(id, restaurant_id, order_id, version, type, endpoint, from_state, to_state, actor,
        occurred_at_ms, body, wants_lease, ordinal)`;

const INSERT_PLACED = `
  with placed as (
    insert into orders (id, restaurant_id, provider_order_id, order_number, state, version, last_changed_at, content,
      warnings, issues, wanted_at, deadline_at, look_at, cancel_reason_id, cancel_reason, canceled_by, created_at,
      finished_at)
    select o.id, o.restaurant_id, o.provider_order_id, o.order_number, o.state, o.version,
      to_timestamp(o.last_changed_at_ms / 1000),
      convert_from(substring($24::bytea from o.content_start for o.content_length), 'UTF8')::json,
      o.warnings::json, o.issues::json, to_timestamp(o.wanted_at_ms / 1000), to_timestamp(o.deadline_at_ms / 1000),
      to_timestamp(o.look_at_ms / 1000), o.cancel_reason_id, o.cancel_reason, o.canceled_by, $1::timestamptz, to_timestamp(o.finished_at_ms / 1000)
    from unnest($16::uuid[], $17::uuid[], $18::text[], $19::bigint[], $20::text[], $21::int[], $22::float8[],
      $23::int[], $25::int[], $26::text[], $27::text[], $28::float8[], $29::float8[], $30::text[], $31::text[],
      $32::text[], $33::float8[], $34::float8[])
      as o(id, restaurant_id, provider_order_id, order_number, state, version, last_changed_at_ms,
        content_start, content_length, warnings, issues, wanted_at_ms, deadline_at_ms, cancel_reason_id,
        cancel_reason, canceled_by, finished_at_ms, look_at_ms)
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
    set state = n.state, version = n.version, last_changed_at = to_timestamp(n.last_changed_at_ms / 1000),
      courier_id = n.courier_id, courier_offered_at = to_timestamp(n.courier_offered_at_ms / 1000),
      courier_accepted_at = to_timestamp(n.courier_accepted_at_ms / 1000),
      kitchen_ready_at = to_timestamp(n.kitchen_ready_at_ms / 1000),
      deadline_at = to_timestamp(n.deadline_at_ms / 1000),
      look_at = case when n.finished_at_ms is null then least(o.look_at, to_timestamp(n.deadline_at_ms / 1000)) end,
      cancel_reason_id = n.cancel_reason_id,
      cancel_reason = n.cancel_reason, canceled_by = n.canceled_by,
      finished_at = to_timestamp(n.finished_at_ms / 1000)
    from unnest($17::uuid[], $18::text[], $19::int[], $20::float8[], $21::uuid[], $22::float8[], $23::float8[],
      $24::float8[], $25::float8[], $26::text[], $27::text[], $28::text[], $29::float8[])
      as n(id, state, version, last_changed_at_ms, courier_id, courier_offered_at_ms, courier_accepted_at_ms,
        kitchen_ready_at_ms, deadline_at_ms, cancel_reason_id, cancel_reason, canceled_by, finished_at_ms)
    where o.id = n.id
  ),
  noted as (
    insert into order_history (order_id, at, kind, actor, courier_id, detail)
    select order_id, at, kind, actor, courier_id, detail
    from json_to_recordset($16::json) as h(order_id uuid, at timestamptz, kind text, actor text, courier_id uuid,
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

export interface EventWrite {
  events: readonly NewEvent[];
  now: Instant;
  nodeId: string | null;
}

/** Orders that exist already are left alone, with their events; the answer says which ones were placed. */
export async function insertPlacedOrders(
  db: Queryable,
  write: EventWrite & { orders: readonly NewOrderRow[] },
): Promise<Births & { placedIds: Set<string> }> {
  const rows = await db.query<BirthRow>({ name: 'insert_placed_orders', text: INSERT_PLACED }, [
    ...eventParameters(write),
    ...placedParameters(write.orders),
  ]);
  const placedIds = new Set<string>();
  for (const row of rows) if (row.order_id !== null) placedIds.add(row.order_id);
  return { placedIds, ...birthsOf(rows) };
}

export async function updateOrders(
  tx: Queryable,
  write: EventWrite & { orders: readonly Order[]; notes: readonly NewNote[] },
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
    ...eventParameters(write),
    JSON.stringify(notes),
    ...changeParameters(write.orders),
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
