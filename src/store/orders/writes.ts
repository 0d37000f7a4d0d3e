// The only writes of orders, events and new deliveries. Each function is one statement, so the new state, its event and
// its deliveries are committed together or not at all.
import type { Order } from '../../domain/orders/order.ts';
import { rowsOf } from '../database/array-parameter.ts';
import type { Queryable } from '../database/database.ts';
import {
  changeParameters,
  countParameter,
  eventParameters,
  placedParameters,
  type NewOrderRow,
  type NewEvent,
  type NewNote,
  type EventWrite,
} from './write-parameters.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface Births {
  /** Events whose delivery is now leased to the committing node. */
  leasedEventIds: Set<string>;
  /** Whether any new delivery is due without a lease, for another node to claim. */
  hasUnleased: boolean;
}

// Restaurants are locked in the same order everywhere, so that two nodes cannot deadlock. A delivery is created leased
// only if no other delivery of the same order and endpoint is in progress or waiting elsewhere, or leased to this node
// without its knowledge because the answer to that commit was lost or is late. (Queried with a limit: for "not exists",
// the query planner would hash the whole queue.)
const WRITE_EVENTS = `
  locked as materialized (
    select c.restaurant_id from event_counters c
    where c.restaurant_id = any($17::uuid[])
    order by c.restaurant_id
    for update
  ),
  counted as (
    update event_counters c
    set last_sequence = c.last_sequence + added.events
    from added
    where c.restaurant_id = added.restaurant_id
      and c.restaurant_id = any(array(select restaurant_id from locked))
    returning c.restaurant_id, c.last_sequence - added.events as base
  ),
  addressee as materialized (
    select counted.restaurant_id, counted.base,
      case when r.integration_enabled then array(
        select p.kind from endpoints p where p.restaurant_id = r.id and p.url is not null
      ) end as open_endpoints
    from counted join restaurants r on r.id = counted.restaurant_id
  ),
  recorded as (
    insert into events
      (id, restaurant_id, sequence, order_id, version, type, from_state, to_state, actor, occurred_at, body)
    select e.id, e.restaurant_id, a.base + e.place, e.order_id, e.version, e.type, e.from_state, e.to_state, e.actor,
      e.occurred_at, e.body
    from new_event e
    join addressee a on a.restaurant_id = e.restaurant_id
  ),
  queued as (
    insert into deliveries (event_id, restaurant_id, endpoint, order_id, version, due_at, leased_by, occurred_at)
    select e.id, e.restaurant_id, e.endpoint, e.order_id, e.version,
      case when e.endpoint = any(a.open_endpoints) then $1::timestamptz end,
      case when e.endpoint = any(a.open_endpoints) and e.wants_lease and (
        select true from deliveries other
        where other.order_id = e.order_id and other.endpoint = e.endpoint
          and case
            when other.leased_by = $2::bigint then other.event_id <> all($16::uuid[])
            else other.leased_by is not null or other.attempts = 0
          end
        limit 1
      ) is null then $2::bigint end,
      e.occurred_at
    from new_event e
    join addressee a on a.restaurant_id = e.restaurant_id
    returning event_id, due_at, leased_by
  ),
  birth as (
    select coalesce(bool_or(due_at is not null and leased_by is null), false) as has_unleased,
      case when count(leased_by) < cardinality($3::uuid[])
        then coalesce(array_agg(event_id) filter (where leased_by is not null), '{}') end as leased
    from queued
  )`;

const GIVEN_EVENTS = rowsOf(3, {
  id: 'uuid',
  restaurant_id: 'uuid',
  order_id: 'uuid',
  version: 'int',
  type: 'text',
  endpoint: 'text',
  from_state: 'text',
  to_state: 'text',
  actor: 'text',
  occurred_at: 'timestamptz',
  // Compact JSON, which never contains a raw line break.
  body: 'lines',
  wants_lease: 'boolean',
  place: 'int',
});

const PLACED_COLUMNS = {
  id: 'uuid',
  restaurant_id: 'uuid',
  provider_order_id: 'text',
  order_number: 'bigint',
  state: 'text',
  version: 'int',
  last_changed_at: 'timestamptz',
  content: 'json',
  facts: 'json',
  warnings: 'json',
  issues: 'json',
  wanted_at: 'timestamptz',
  deadline_at: 'timestamptz',
  cancel_reason_id: 'text',
  cancel_reason: 'text',
  canceled_by: 'text',
  finished_at: 'timestamptz',
  look_at: 'timestamptz',
} as const;

const CHANGED_ORDERS = rowsOf(20, {
  id: 'uuid',
  state: 'text',
  version: 'int',
  last_changed_at: 'timestamptz',
  courier_id: 'uuid',
  courier_offered_at: 'timestamptz',
  courier_accepted_at: 'timestamptz',
  kitchen_ready_at: 'timestamptz',
  deadline_at: 'timestamptz',
  cancel_reason_id: 'text',
  cancel_reason: 'text',
  canceled_by: 'text',
  finished_at: 'timestamptz',
});

/** Inserts the orders and returns the new ones; `first` is the number of their first parameter. */
const placed = (first: number): string => `
  placed as (
    insert into orders (${Object.keys(PLACED_COLUMNS).join(', ')}, created_at)
    select o.*, $1::timestamptz
    from ${rowsOf(first, PLACED_COLUMNS)} as o
    on conflict (restaurant_id, provider_order_id) do nothing
    returning id
  )`;

const whichPlaced = (first: number): string =>
  `case when count(*) < cardinality($${first}::uuid[]) then coalesce(array_agg(id), '{}') end`;

/** Most restaurants review an order before they approve it: such an order is placed without an event. */
const INSERT_PLACED_ALONE = `with ${placed(2)} select ${whichPlaced(2)} as placed from placed`;

// Orders that already exist are skipped with their events; the remaining events are renumbered without gaps.
const INSERT_PLACED = `
  with ${placed(18)},
  new_event as materialized (
    select e.id, e.restaurant_id, e.order_id, e.version, e.type, e.endpoint, e.from_state, e.to_state, e.actor,
      e.occurred_at, e.body, e.wants_lease,
      row_number() over (partition by e.restaurant_id order by e.place) as place
    from ${GIVEN_EVENTS} as e
    where e.order_id in (select id from placed)
  ),
  added as (
    select restaurant_id, count(*) as events from new_event group by restaurant_id
  ),
  ${WRITE_EVENTS}
  select birth.*, (select ${whichPlaced(18)} from placed) as placed from birth`;

const UPDATE_ORDERS = `
  with changed as (
    update orders o
    set state = n.state, version = n.version, last_changed_at = n.last_changed_at, courier_id = n.courier_id,
      courier_offered_at = n.courier_offered_at, courier_accepted_at = n.courier_accepted_at,
      kitchen_ready_at = n.kitchen_ready_at, deadline_at = n.deadline_at,
      look_at = case when n.finished_at is null then least(o.look_at, n.deadline_at) end,
      cancel_reason_id = n.cancel_reason_id, cancel_reason = n.cancel_reason, canceled_by = n.canceled_by,
      finished_at = n.finished_at
    from ${CHANGED_ORDERS} as n
    where o.id = n.id
  ),
  noted as (
    insert into order_history (order_id, at, kind, actor, courier_id, detail)
    select order_id, at, kind, actor, courier_id, detail
    from json_to_recordset($19::json) as h(order_id uuid, at timestamptz, kind text, actor text, courier_id uuid,
      detail text)
  ),
  new_event as materialized (
    select * from ${GIVEN_EVENTS} as e
  ),
  added as (
    select * from unnest($17::uuid[], $18::int[]) as added(restaurant_id, events)
  ),
  ${WRITE_EVENTS}
  select birth.* from birth`;

/** A single result row: ids are listed only if they are not all of the given ones. */
interface BirthRow {
  has_unleased?: boolean;
  leased?: string[] | null;
}

interface PlacedRow extends BirthRow {
  placed: string[] | null;
}

export async function takeOrderNumbers(db: Queryable, count: number): Promise<string[]> {
  const rows = await db.query<{ number: string }>(
    { name: 'take_order_numbers', text: `select nextval('order_numbers') as number from generate_series(1, $1::int)` },
    [count],
  );
  return rows.map((row) => row.number);
}

/** Skips orders that already exist, and their events; returns which orders were placed. */
export async function insertPlacedOrders(
  db: Queryable,
  write: EventWrite & { orders: readonly NewOrderRow[] },
): Promise<Births & { placedIds: Set<string> }> {
  const { events, orders, now } = write;
  const [row] =
    events.length === 0
      ? await db.query<PlacedRow>({ name: 'insert_placed_alone', text: INSERT_PLACED_ALONE }, [
          toTimestamp(now),
          ...placedParameters(orders),
        ])
      : await db.query<PlacedRow>({ name: 'insert_placed_orders', text: INSERT_PLACED }, [
          ...eventParameters(write),
          ...placedParameters(orders),
        ]);
  return { placedIds: new Set(row?.placed ?? orders.map(({ order }) => order.id)), ...birthsOf(row, events) };
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
  const [row] = await tx.query<BirthRow>({ name: 'update_orders', text: UPDATE_ORDERS }, [
    ...eventParameters(write),
    countParameter(write),
    JSON.stringify(notes),
    ...changeParameters(write.orders),
  ]);
  return birthsOf(row, write.events);
}

function birthsOf(row: BirthRow | undefined, events: readonly NewEvent[]): Births {
  const leasedEventIds = new Set(row?.leased ?? events.map((event) => event.id));
  return { leasedEventIds, hasUnleased: row?.has_unleased ?? false };
}
