import type { Queryable } from '../database/database.ts';
import { SILENCE_LIMIT_MS } from './nodes.ts';

/** Nodes with a recent heartbeat: services that are using this database now. */
export async function countLivingNodes(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from nodes where beat_at > now() - interval '${SILENCE_LIMIT_MS} milliseconds'`,
  );
  return row?.count ?? 0;
}
