// What changed since a page last looked: the restaurant's gapless event sequence, plus changes without an event, namely
// new orders waiting for approval and notes in an order's history.
import type { OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import type { EpochId } from '../upkeep/epochs.ts';
import { toTimestamp } from '../database/timestamps.ts';

/** How far a reader of one restaurant has read. */
export interface LiveCursor {
  restaurantId: string;
  sequence: number;
  historyId: number;
  createdAfter: Instant;
  /** The epoch of these numbers; in another epoch the same numbers mean other changes. */
  epochId: EpochId;
}

export interface LiveChange {
  /** Index of the reader's cursor in the given list. */
  reader: number;
  source: 'event' | 'new' | 'history';
  /** Number of the event or the note; 0 for a new order. */
  number: number;
  orderId: string;
  version: number;
  state: OrderState;
}

// A bigint arrives as text.
interface ChangeRow extends Omit<LiveChange, 'reader' | 'number'> {
  /** Counted from 1. */
  reader: string;
  number: string;
}

interface LastNoteRow {
  source: 'last-note';
  number: string;
}

export interface LiveChanges {
  changes: LiveChange[];
  /** Every note up to here has been read, of all restaurants; undefined if there was none. */
  lastHistoryId: number | undefined;
}

/**
 * At most `limit` changes per source and reader: the first events, and the newest of the new orders, because earlier
 * ones are returned again each time. Of notes, four times as many are read for all readers together.
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
  return { ...row, reader: Number(row.reader) - 1, number: Number(row.number) };
}

/** The starting cursors of new readers. */
export async function listLiveCursors(
  db: Queryable,
  restaurantIds: readonly string[],
  now: Instant,
): Promise<LiveCursor[]> {
  const rows = await db.query<Pick<LiveCursor, 'restaurantId' | 'epochId'> & { sequence: string; historyId: string }>(
    {
      name: 'list_live_cursors',
      text: `select restaurant_id, last_sequence as sequence,
               coalesce((select max(id) from order_history), 0) as history_id,
               (select id from epochs order by number desc limit 1) as epoch_id
             from event_counters where restaurant_id = any($1::uuid[])`,
    },
    [restaurantIds],
  );
  return rows.map((row) => ({
    ...row,
    sequence: Number(row.sequence),
    historyId: Number(row.historyId),
    createdAfter: now,
  }));
}

/** Changes whenever any restaurant's order changes. A new order awaiting approval has no event, but is live. */
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
