// What belongs to the installation as a whole.
import type { Queryable } from './database.ts';

export async function findKeyCheck(db: Queryable): Promise<Buffer | undefined> {
  const [row] = await db.query<{ key_check: Buffer }>('select key_check from installation');
  return row?.key_check;
}

/** Does nothing when there is one: of two nodes that start at once, the first decides. */
export async function insertKeyCheck(db: Queryable, keyCheck: Buffer): Promise<void> {
  await db.query('insert into installation (key_check) values ($1) on conflict do nothing', [keyCheck]);
}
