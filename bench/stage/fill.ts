// Fills the tables as weeks of orders would. Only this file of the bench knows their columns.
//
// The database generates the rows from a running number. Order n belongs to restaurant n modulo the restaurant count.
// Its ids begin with its time, like those of real orders, so that indexes grow at their end.
import type { Client } from 'pg';
import type { Database } from '../../src/store/database/database.ts';
import { addWeek, HISTORY_TABLES, listWeeks, weekOf } from '../../src/store/upkeep/history.ts';
import { ID_PLACE, orderContent } from '../processes/orders.ts';

/** Every order of the history was delivered. */
const WHOLE_LIFE = ['NEW', 'VALIDATED', 'ROUTED', 'ASSIGNED', 'ACCEPTED', 'PREPARED', 'ON_DELIVERY', 'DELIVERED'];
const EVENTS_PER_ORDER = WHOLE_LIFE.length - 1;
/** Orders with a pending delivery get only their last event. They are finished, so nothing plans or cancels them. */
const LAST_STEP = ['ON_DELIVERY', 'DELIVERED'];

const DAY_MS = 86_400_000;
/** Shorter than the retention of customer data, so that nothing is erased during a measurement. */
const OLDEST_DAYS = 28;
/** The newest filled row is at least this old. */
const NEWEST_DAYS = 1;
/** Orders per transaction: small enough to show progress, large enough to be fast. */
const CHUNK = 20_000;

export type Progress = (done: number, whole: number) => void;

interface Work {
  restaurantIds: readonly string[];
  /** The states that each order went through. */
  states: readonly string[];
  /** Inserts the rows that belong to the events: attempts or deliveries. */
  insertMore(eventsPerOrder: number): Promise<unknown>;
}

/** Adds the weeks of the filled history; the service itself only adds future ones. */
export async function addPastWeeks(db: Database): Promise<void> {
  const now = Date.now();
  for (const table of HISTORY_TABLES) {
    const existing = await listWeeks(db, table);
    for (let at = now - OLDEST_DAYS * DAY_MS; at < weekOf(now).startsAt; at += 7 * DAY_MS) {
      const { startsAt } = weekOf(at);
      if (!existing.includes(startsAt)) await db.transaction((tx) => addWeek(tx, table, startsAt));
    }
  }
}

/** Use only one per database: two would generate the same numbers. */
export class Filler {
  #client: Client;
  #nextOrder = 0;
  #startMs = Date.now() - OLDEST_DAYS * DAY_MS;
  #stepMs: number;

  /** Spreads up to `maxOrders` orders evenly over the weeks. */
  constructor(client: Client, maxOrders: number) {
    this.#client = client;
    this.#stepMs = Math.floor(((OLDEST_DAYS - NEWEST_DAYS) * DAY_MS) / maxOrders);
  }

  /** Adds events of finished orders, each with its attempt. */
  async addHistory(restaurantIds: readonly string[], events: number, onProgress: Progress): Promise<void> {
    const insertMore = (eventsPerOrder: number): Promise<unknown> =>
      this.#client.query(INSERT_ATTEMPTS, [eventsPerOrder]);
    await this.#addOrders(ordersOf(events), { restaurantIds, states: WHOLE_LIFE, insertMore }, (done) =>
      onProgress(Math.min(events, done * EVENTS_PER_ORDER), events),
    );
  }

  /** Adds finished orders with only their last event and its attempt, to fill as many orders as possible per second. */
  async addBriefHistory(restaurantIds: readonly string[], orders: number, onProgress: Progress): Promise<void> {
    const insertMore = (eventsPerOrder: number): Promise<unknown> =>
      this.#client.query(INSERT_ATTEMPTS, [eventsPerOrder]);
    await this.#addOrders(orders, { restaurantIds, states: LAST_STEP, insertMore }, (done) => onProgress(done, orders));
  }

  /** Adds finished orders with one pending webhook each, due this many seconds from now. */
  async addWaiting(
    restaurantIds: readonly string[],
    count: number,
    options: { dueInSeconds: number; onProgress?: Progress },
  ): Promise<void> {
    const insertMore = (eventsPerOrder: number): Promise<unknown> =>
      this.#client.query(INSERT_DELIVERIES, [eventsPerOrder, options.dueInSeconds]);
    await this.#addOrders(count, { restaurantIds, states: LAST_STEP, insertMore }, (done) =>
      options.onProgress?.(done, count),
    );
  }

  async #addOrders(count: number, work: Work, onProgress: (done: number) => void): Promise<void> {
    for (let done = 0; done < count;) {
      const size = Math.min(CHUNK, count - done);
      await this.#addChunk(size, work);
      done += size;
      onProgress(done);
    }
  }

  async #addChunk(size: number, { restaurantIds, states, insertMore }: Work): Promise<void> {
    const client = this.#client;
    const eventsPerOrder = states.length - 1;
    const last = this.#nextOrder + size - 1;
    await client.query('begin');
    await client.query(ORDERS_AT_HAND, [this.#nextOrder, last, this.#startMs, this.#stepMs, restaurantIds]);
    await client.query(INSERT_ORDERS, [states.at(-1), eventsPerOrder, ORDER_CONTENT]);
    await client.query(INSERT_EVENTS, [eventsPerOrder, states]);
    await insertMore(eventsPerOrder);
    await client.query(COUNT_EVENTS, [eventsPerOrder]);
    await client.query('commit');
    this.#nextOrder += size;
  }
}

/** The number of orders that this many events belong to. */
export function ordersOf(events: number): number {
  return Math.ceil(events / EVENTS_PER_ORDER);
}

const ORDER_CONTENT = JSON.stringify(orderContent(ID_PLACE, 'bench-restaurant-0'));

/** A version 7 UUID from a time in milliseconds and a number that distinguishes ids of the same millisecond. */
function uuidOf(milliseconds: string, distinction: string): string {
  return `(lpad(to_hex(${milliseconds}), 12, '0') || '70008' || lpad(to_hex(${distinction}), 15, '0'))::uuid`;
}

const ORDERS_AT_HAND = `
  create temporary table order_at_hand on commit drop as
  select n, ${uuidOf('ms', '0')} as id, ms, to_timestamp(ms / 1000.0) as at,
    ($5::uuid[])[1 + n % cardinality($5::uuid[])] as restaurant_id, nextval('order_numbers') as order_number
  from generate_series($1::bigint, $2::bigint) as n, lateral (select $3::bigint + n * $4::bigint as ms) as time`;

const INSERT_ORDERS = `
  insert into orders (id, restaurant_id, provider_order_id, order_number, state, version, last_changed_at, content,
    warnings, issues, created_at, finished_at)
  select id, restaurant_id, 'filled-' || n, order_number, $1, $2::int, at, $3::json, '[]', '[]', at, at
  from order_at_hand`;

/** The events of those orders, one millisecond apart; every statement that needs them computes the same rows. */
const EVENTS_AT_HAND = `
  select ${uuidOf('o.ms', 'k')} as id, o.restaurant_id, o.id as order_id, o.n, o.order_number, k as version,
    o.at + k * interval '1 millisecond' as at
  from order_at_hand o, generate_series(1, $1::int) as k`;

const INSERT_EVENTS = `
  insert into events (id, restaurant_id, sequence, order_id, version, type, from_state, to_state, actor, occurred_at,
    body)
  select e.id, e.restaurant_id,
    c.last_sequence + row_number() over (partition by e.restaurant_id order by e.n, e.version),
    e.order_id, e.version, 'order.status_changed', ($2::text[])[e.version], ($2::text[])[e.version + 1], 'bench', e.at,
    '{"event":"order.status_changed","orderId":"filled-' || e.n || '","serviceOrderId":"' || e.order_id
      || '","orderNumber":"' || e.order_number || '","status":"' || ($2::text[])[e.version + 1]
      || '","previousStatus":"' || ($2::text[])[e.version] || '","timestamp":"2026-03-01T12:00:00.123+03:00"'
      || ',"provider":"THIRD_PARTY","providerRestaurantId":"bench-restaurant-0"}'
  from (${EVENTS_AT_HAND}) as e join event_counters c on c.restaurant_id = e.restaurant_id`;

const INSERT_ATTEMPTS = `
  insert into attempts (event_id, restaurant_id, endpoint, number, outcome, url, started_at, ended_at, status, answer,
    remote_address, reused_connection, resent, first_byte_ms, total_ms)
  select e.id, e.restaurant_id, 'status', 1, 'delivered', 'https://localhost/webhooks/status', e.at, e.at, 200,
    '{"received":true}', '127.0.0.1', true, false, 1.5, 1.7
  from (${EVENTS_AT_HAND}) as e`;

const INSERT_DELIVERIES = `
  insert into deliveries (event_id, restaurant_id, endpoint, order_id, version, due_at, occurred_at)
  select e.id, e.restaurant_id, 'status', e.order_id, e.version, now() + $2::float8 * interval '1 s', e.at
  from (${EVENTS_AT_HAND}) as e`;

const COUNT_EVENTS = `
  update event_counters c set last_sequence = c.last_sequence + added.orders * $1::int
  from (select restaurant_id, count(*) as orders from order_at_hand group by restaurant_id) added
  where c.restaurant_id = added.restaurant_id`;
