// What belongs to the installation as a whole.
import type { Queryable } from '../database/database.ts';

export interface Installation {
  /** Opens with the right master key, and with no other. */
  keyCheck: Buffer;
  sealsBound: boolean;
  sealedCredentialKey: Buffer | null;
}

/** Undefined: no node has started here yet. */
export async function findInstallation(db: Queryable): Promise<Installation | undefined> {
  const [row] = await db.query<{
    key_check: Buffer;
    seals_bound: boolean | null;
    sealed_credential_key: Buffer | null;
  }>('select key_check, seals_bound, sealed_credential_key from installation');
  return (
    row && {
      keyCheck: row.key_check,
      sealsBound: row.seals_bound ?? false,
      sealedCredentialKey: row.sealed_credential_key,
    }
  );
}

/** Does nothing when there is one: of two nodes that start at once, the first decides. */
export async function insertInstallation(db: Queryable, keyCheck: Buffer): Promise<void> {
  await db.query('insert into installation (key_check, seals_bound) values ($1, true) on conflict do nothing', [
    keyCheck,
  ]);
}
