// Differences found by the audit that have not been seen to disappear.
import type { Difference } from '../../domain/upkeep/history-audit.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

/** Returns the differences that are new. */
export async function recordDifferences(
  tx: Queryable,
  differences: readonly Difference[],
  seen: { at: Instant; pass: number },
): Promise<Difference[]> {
  if (differences.length === 0) return [];
  const rows = await tx.query<Difference & { isNew: boolean }>(
    `insert into audit_differences (kind, subject, restaurant_id, detail, first_seen_at, last_seen_pass)
     select distinct on (d.kind, d.subject) d.kind, d.subject, d."restaurantId", d.detail, $2::timestamptz, $3::bigint
     from json_to_recordset($1::json) as d(kind text, subject text, "restaurantId" uuid, detail text)
     on conflict (kind, subject) do update
     set detail = excluded.detail, last_seen_pass = excluded.last_seen_pass
     returning kind, subject, restaurant_id, detail, xmax = 0 as is_new`,
    [JSON.stringify(differences), toTimestamp(seen.at), seen.pass],
  );
  return rows
    .filter((row) => row.isNew)
    .map(({ kind, subject, restaurantId, detail }) => ({ kind, subject, restaurantId, detail }));
}
