// What changed since a page last looked: by the restaurant's gapless event sequence, and besides it what makes no event,
// a new order that waits for approval and the notes of an order's history.
import type { OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import type { EpochId } from '../upkeep/epochs.ts';
import { toTimestamp } from '../database/timestamps.ts';

/** Up to where a reader of one restaurant has been told. */
export interface LiveCursor {
  restaurantId: string;
  sequence: number;
  historyId: number;
  createdAfter: Instant;
  /** In which the numbers were given; those of another one mean other changes. */
  epochId: EpochId;
}

export interface LiveChange {
  /** The place of its cursor among those that were given. */
  reader: number;
  source: 'event' | 'new' | 'history';
  /** Of the event or the note; 0 for a new order. */
  number: number;
  orderId: string;
  version: number;
  state: OrderState;
}

interface ChangeRow {
  reader: string;
  source: LiveChange['source'];
  number: string;
  order_id: string;
  version: number;
  state: OrderState;
}

interface LastNoteRow {
  source: 'last-note';
  number: string;
}

export interface LiveChanges {
  changes: LiveChange[];
  /** Up to here every note has been read, whoever's it is; undefined when there was none. */
  lastHistoryId: number | undefined;
}

/**
 * At most `limit` of each source for each reader: the first events, and of new orders the newest, because those that
 * came before them are given again and again. Of notes, four times as many are read for all readers together.
 */
export async function listLiveChanges(
  db: Queryable,
  cursors: readonly LiveCursor[],
  limit: number,
): Promise<LiveChanges> {
  const rows = await db.query<ChangeRow | LastNoteRow>(
    {
      name: 'list_live_changes',
      text: `
        with readers as (
          select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::timestamptz[])
            with ordinality as w (restaurant_id, sequence, history_id, created_after, reader)
        ),
        notes as materialized (
          select id, order_id from order_history
          where id > (select min(history_id) from readers)
          order by id limit 4 * $5
        )
        select w.reader, 'event' as source, e.sequence as number, e.order_id, e.version, e.to_state as state
        from readers w cross join lateral (
          select sequence, order_id, version, to_state from events
          where restaurant_id = w.restaurant_id and sequence > w.sequence
          order by sequence limit $5
        ) e
        union all
        select w.reader, 'new', 0, o.id, o.version, o.state
        from readers w cross join lateral (
          select id, version, state from orders
          where restaurant_id = w.restaurant_id and finished_at is null and created_at > w.created_after
          order by created_at desc limit $5
        ) o
        union all
        select w.reader, 'history', h.id, o.id, o.version, o.state
        from notes h
        join orders o on o.id = h.order_id
        join readers w on w.restaurant_id = o.restaurant_id and h.id > w.history_id
        union all
        select null, 'last-note', max(id), null, null, null from notes having count(*) > 0
        order by 1, 3`,
    },
    [
      cursors.map((cursor) => cursor.restaurantId),
      cursors.map((cursor) => cursor.sequence),
      cursors.map((cursor) => cursor.historyId),
      cursors.map((cursor) => toTimestamp(cursor.createdAfter)),
      limit,
    ],
  );
  const lastNote = rows.find((row) => row.source === 'last-note');
  return {
    changes: rows.flatMap((row) => (row.source === 'last-note' ? [] : [toChange(row)])),
    lastHistoryId: lastNote && Number(lastNote.number),
  };
}

function toChange(row: ChangeRow): LiveChange {
  return {
    reader: Number(row.reader) - 1,
    source: row.source,
    number: Number(row.number),
    orderId: row.order_id,
    version: row.version,
    state: row.state,
  };
}

/** Where a reader begins who has been told nothing yet. */
export async function listLiveCursors(
  db: Queryable,
  restaurantIds: readonly string[],
  now: Instant,
): Promise<LiveCursor[]> {
  const rows = await db.query<{
    restaurant_id: string;
    last_sequence: string;
    history_id: string;
    epoch_id: EpochId;
  }>(
    {
      name: 'list_live_cursors',
      text: `select restaurant_id, last_sequence, coalesce((select max(id) from order_history), 0) as history_id,
               (select id from epochs order by number desc limit 1) as epoch_id
             from event_counters where restaurant_id = any($1::uuid[])`,
    },
    [restaurantIds],
  );
  return rows.map((row) => ({
    restaurantId: row.restaurant_id,
    sequence: Number(row.last_sequence),
    historyId: Number(row.history_id),
    createdAfter: now,
    epochId: row.epoch_id,
  }));
}

/** Differs as soon as any order of any restaurant has changed. One that is new and waits has no event, but it is live. */
export async function readLivePulse(db: Queryable): Promise<string> {
  const [row] = await db.query<{ pulse: string }>({
    name: 'read_live_pulse',
    text: `select concat_ws('/',
             (select sum(last_sequence) from event_counters),
             (select count(*) from orders where finished_at is null),
             (select max(id) from order_history)) as pulse`,
  });
  return row?.pulse ?? '';
}
