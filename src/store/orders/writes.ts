// The only writes of orders, events and new deliveries. Each function is one statement, so the new state, its event and
// its deliveries are committed together or not at all.
import { DatabaseError } from 'pg';
import type { Order } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import { uuidArray } from '../database/array-parameter.ts';
import type { Queryable } from '../database/database.ts';
import { prepare, type Parameters } from '../database/prepared.ts';
import { toTimestamp } from '../database/timestamps.ts';
import {
  CHANGED_COLUMNS,
  COUNT_COLUMNS,
  EVENT_COLUMNS,
  NOTE_COLUMNS,
  PLACED_COLUMNS,
  type EventCount,
  type NewEvent,
  type NewNote,
  type NewOrderRow,
  type NumberedEvent,
} from './write-columns.ts';

export interface EventWrite {
  events: readonly NewEvent[];
  now: Instant;
  nodeId: string | null;
}

export interface LeasedOnInsert {
  /** Events whose delivery is now leased to the committing node. */
  leasedEventIds: Set<string>;
  /** Whether any new delivery is due without a lease, for another node to claim. */
  hasUnleased: boolean;
}

/** The events of one statement, counted by restaurant. */
interface CountedEvents extends EventWrite {
  numbered: readonly NumberedEvent[];
  counts: readonly EventCount[];
}

// Restaurants are locked in the same order everywhere, so that two nodes cannot deadlock. A delivery is created leased
// only if no other delivery of the same order and endpoint is in progress or waiting elsewhere, or leased to this node
// without its knowledge because the answer to that commit was lost or is late. (Queried with a limit: for "not exists",
// the query planner would hash the whole queue.)
function writeEvents(parameters: Parameters<CountedEvents>): string {
  const now = parameters.value('timestamptz', (write) => toTimestamp(write.now));
  const node = parameters.value('bigint', (write) => write.nodeId);
  const count = parameters.value('bigint', (write) => write.events.length);
  const restaurants = parameters.value('uuid[]', ({ counts }) => uuidArray(counts, (entry) => entry.restaurantId));
  const held = parameters.value('uuid[]', ({ events }) => listHeld(events));
  return `
  locked as materialized (
    select c.restaurant_id from event_counters c
    where c.restaurant_id = any(${restaurants})
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
      case when e.endpoint = any(a.open_endpoints) then ${now} end,
      case when e.endpoint = any(a.open_endpoints) and e.wants_lease and (
        select true from deliveries other
        where other.order_id = e.order_id and other.endpoint = e.endpoint
          and case
            when other.leased_by = ${node} then other.event_id <> all(${held})
            else other.leased_by is not null or other.attempts = 0
          end
        limit 1
      ) is null then ${node} end,
      e.occurred_at
    from new_event e
    join addressee a on a.restaurant_id = e.restaurant_id
    returning event_id, due_at, leased_by
  ),
  inserted_delivery as (
    select coalesce(bool_or(due_at is not null and leased_by is null), false) as has_unleased,
      case when count(leased_by) < ${count}
        then coalesce(array_agg(event_id) filter (where leased_by is not null), '{}') end as leased
    from queued
  )`;
}

/** Null if a node is assumed to know all of its leases. */
function listHeld(events: readonly NewEvent[]): Buffer | null {
  if (events.some((event) => event.heldIds === undefined)) return null;
  return uuidArray(
    events.flatMap((event) => event.heldIds ?? []),
    (id) => id,
  );
}

interface PlacedOrders {
  orders: readonly NewOrderRow[];
}

/** Inserts the orders and returns the new ones. */
function insertOrders(parameters: Parameters<PlacedOrders>): { placed: string; whichPlaced: string } {
  const orders = parameters.rows(PLACED_COLUMNS, (write) => write.orders);
  const placed = `
  placed as (
    insert into orders (${Object.keys(PLACED_COLUMNS).join(', ')})
    select o.* from ${orders.source} as o
    on conflict (restaurant_id, provider_order_id) do nothing
    returning id
  )`;
  return { placed, whichPlaced: `case when count(*) < ${orders.size} then coalesce(array_agg(id), '{}') end` };
}

/** A single result row: ids are listed only if they are not all of the given ones. */
interface InsertedRow {
  hasUnleased?: boolean;
  leased?: string[] | null;
}

interface PlacedRow extends InsertedRow {
  placed: string[] | null;
}

/** Most restaurants review an order before they approve it: such an order is placed without an event. */
const insertPlacedAlone = prepare<PlacedOrders, PlacedRow>('insert_placed_alone', (parameters) => {
  const { placed, whichPlaced } = insertOrders(parameters);
  return `with ${placed} select ${whichPlaced} as placed from placed`;
});

// Orders that already exist are skipped with their events; the remaining events are renumbered without gaps.
const insertPlacedWithEvents = prepare<PlacedOrders & CountedEvents, PlacedRow>(
  'insert_placed_orders',
  (parameters) => {
    const { placed, whichPlaced } = insertOrders(parameters);
    const { place: _renumbered, ...columns } = EVENT_COLUMNS;
    const events = parameters.rows(EVENT_COLUMNS, (write) => write.numbered);
    return `
  with ${placed},
  new_event as materialized (
    select ${Object.keys(columns)
      .map((name) => `e.${name}`)
      .join(', ')},
      row_number() over (partition by e.restaurant_id order by e.place) as place
    from ${events.source} as e
    where e.order_id in (select id from placed)
  ),
  added as (
    select restaurant_id, count(*) as events from new_event group by restaurant_id
  ),
  ${writeEvents(parameters)}
  select inserted_delivery.*, (select ${whichPlaced} from placed) as placed from inserted_delivery`;
  },
);

interface OrderChanges extends CountedEvents {
  orders: readonly Order[];
  notes: readonly NewNote[];
}

const changeOrders = prepare<OrderChanges, InsertedRow>('update_orders', (parameters) => {
  const orders = parameters.rows(CHANGED_COLUMNS, (write) => write.orders);
  const notes = parameters.rows(NOTE_COLUMNS, (write) => write.notes);
  const events = parameters.rows(EVENT_COLUMNS, (write) => write.numbered);
  const counts = parameters.rows(COUNT_COLUMNS, (write) => write.counts);
  const { id: _key, ...changed } = CHANGED_COLUMNS;
  const changes = Object.keys(changed).map((name) => `${name} = n.${name}`);
  return `
  with changed as (
    update orders o
    set ${changes.join(', ')}, look_at = case when n.finished_at is null then least(o.look_at, n.deadline_at) end
    from ${orders.source} as n
    where o.id = n.id
  ),
  noted as (
    insert into order_history (${Object.keys(NOTE_COLUMNS).join(', ')}) select n.* from ${notes.source} as n
  ),
  new_event as materialized (
    select * from ${events.source} as e
  ),
  added as (
    select * from ${counts.source} as c
  ),
  ${writeEvents(parameters)}
  select inserted_delivery.* from inserted_delivery`;
});

const TAKE_ORDER_NUMBERS = `select nextval('order_numbers') as number from generate_series(1, $1::int)`;

// Skips all used numbers at once. Costs about a microsecond for each number, so it is used only after a promotion.
const TAKE_UNUSED_NUMBERS = `
  select n.number from (${TAKE_ORDER_NUMBERS}) n
  where not exists (select from orders o where o.order_number = n.number)`;

/** The next numbers of the sequence. */
export async function takeOrderNumbers(db: Queryable, count: number): Promise<string[]> {
  const rows = await db.query<{ number: string }>({ name: 'take_order_numbers', text: TAKE_ORDER_NUMBERS }, [count]);
  return rows.map((row) => row.number);
}

/** The same without those that orders already have; at most `count`. */
export async function takeUnusedNumbers(db: Queryable, count: number): Promise<string[]> {
  const rows = await db.query<{ number: string }>({ name: 'take_unused_numbers', text: TAKE_UNUSED_NUMBERS }, [count]);
  return rows.map((row) => row.number);
}

const UNIQUE_VIOLATION = '23505';

/** Two sessions got the same number: one before a promotion, and one from the new server. */
export function isOrderNumberTaken(error: unknown): boolean {
  return (
    error instanceof DatabaseError && error.code === UNIQUE_VIOLATION && error.constraint === 'orders_order_number_key'
  );
}

/** Skips orders that already exist, and their events; returns which orders were placed. */
export async function insertPlacedOrders(
  db: Queryable,
  write: EventWrite & PlacedOrders,
): Promise<LeasedOnInsert & { placedIds: Set<string> }> {
  const { events } = write;
  // Keys are sorted the same way everywhere, so that two nodes cannot deadlock.
  const orders = write.orders.toSorted(
    (a, b) => compare(a.restaurantId, b.restaurantId) || compare(a.providerOrderId, b.providerOrderId),
  );
  const [row] =
    events.length === 0
      ? await insertPlacedAlone(db, { orders })
      : await insertPlacedWithEvents(db, { ...countEvents(write), orders });
  return { placedIds: new Set(row?.placed ?? orders.map(({ order }) => order.id)), ...leasedOnInsertOf(row, events) };
}

export async function updateOrders(
  tx: Queryable,
  write: EventWrite & { orders: readonly Order[]; notes: readonly NewNote[] },
): Promise<LeasedOnInsert> {
  const { orders, notes } = write;
  const [row] = await changeOrders(tx, { ...countEvents(write), orders, notes });
  return leasedOnInsertOf(row, write.events);
}

function countEvents({ events, now, nodeId }: EventWrite): CountedEvents {
  const counts = new Map<string, number>();
  const numbered = events.map((event) => {
    const place = (counts.get(event.restaurantId) ?? 0) + 1;
    counts.set(event.restaurantId, place);
    return { event, place };
  });
  return {
    events,
    now,
    nodeId,
    numbered,
    counts: Array.from(counts, ([restaurantId, count]) => ({ restaurantId, count })),
  };
}

function leasedOnInsertOf(row: InsertedRow | undefined, events: readonly NewEvent[]): LeasedOnInsert {
  const leasedEventIds = new Set(row?.leased ?? events.map((event) => event.id));
  return { leasedEventIds, hasUnleased: row?.hasUnleased ?? false };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
