// Data of the installation as a whole.
import type { Queryable } from '../database/database.ts';

export interface Installation {
  /** Can be decrypted only with the right master key. */
  keyCheck: Buffer;
  sealsBound: boolean;
  sealedCredentialKey: Buffer | null;
}

/** Undefined if no node has ever started on this database. */
export async function findInstallation(db: Queryable): Promise<Installation | undefined> {
  const [row] = await db.query<Installation>(
    'select key_check, coalesce(seals_bound, false) as seals_bound, sealed_credential_key from installation',
  );
  return row;
}

/** Does nothing if there is one already: of two nodes that start concurrently, the first decides. */
export async function insertInstallation(db: Queryable, keyCheck: Buffer): Promise<void> {
  await db.query('insert into installation (key_check, seals_bound) values ($1, true) on conflict do nothing', [
    keyCheck,
  ]);
}
