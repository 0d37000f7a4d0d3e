// Epochs of the database: each restore starts one. See migration 0022.
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

/** Null means the first epoch, of a database that was never restored. */
export type EpochId = string | null;

export interface Epoch {
  id: string;
  cause: 'restored' | 'recovered';
  startedAt: Instant;
  /** The point in time to which the data was restored. */
  dataUntil: Instant;
}

export async function findCurrentEpochId(db: Queryable): Promise<EpochId> {
  const [row] = await db.query<{ id: string }>({
    name: 'find_current_epoch_id',
    text: 'select id from epochs order by number desc limit 1',
  });
  return row?.id ?? null;
}

/** The new epoch shares all sequence numbers assigned so far with the previous one. */
export async function insertEpoch(tx: Queryable, epoch: Epoch): Promise<void> {
  await tx.query('insert into epochs (id, cause, started_at, data_until) values ($1, $2, $3, $4)', [
    epoch.id,
    epoch.cause,
    toTimestamp(epoch.startedAt),
    toTimestamp(epoch.dataUntil),
  ]);
  await tx.query(
    `insert into epoch_sequences (epoch_id, restaurant_id, last_sequence)
     select $1, restaurant_id, last_sequence from event_counters`,
    [epoch.id],
  );
}

/**
 * The last sequence of a restaurant that still means the same event as in an earlier epoch. Zero for an epoch
 * unknown to this database, which may have diverged anywhere.
 */
export async function findSharedSequence(
  db: Queryable,
  place: { restaurantId: string; epochId: EpochId },
): Promise<number> {
  const [row] = await db.query<{ shared: string | null }>(
    `with since as (select number from epochs where id = $2)
     select min(coalesce(s.last_sequence, 0)) as shared
     from epochs e left join epoch_sequences s on s.epoch_id = e.id and s.restaurant_id = $1
     where ($2::uuid is null or exists (select from since)) and e.number > coalesce((select number from since), 0)`,
    [place.restaurantId, place.epochId],
  );
  return Number(row?.shared ?? 0);
}

/** The latest epoch, unless an operator has dismissed its notice. */
export async function findUndismissedEpoch(db: Queryable): Promise<Epoch | undefined> {
  const [row] = await db.query<Epoch>({
    name: 'find_undismissed_epoch',
    text: `select id, cause, started_at, data_until from epochs
           where number = (select max(number) from epochs) and dismissed_at is null`,
  });
  return row;
}

/** False if there is no such epoch or it was already dismissed. */
export async function dismissEpochById(
  tx: Queryable,
  id: string,
  dismissal: { at: Instant; by: string },
): Promise<boolean> {
  const rows = await tx.query(
    'update epochs set dismissed_at = $2, dismissed_by = $3 where id = $1 and dismissed_at is null returning id',
    [id, toTimestamp(dismissal.at), dismissal.by],
  );
  return rows.length > 0;
}
