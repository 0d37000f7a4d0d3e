// Everything that the master key seals, for the one command that seals it anew.
import { SEALED_IN, type Vault } from '../../secrets/vault.ts';
import type { Queryable } from '../database/database.ts';

/** Until the end of the transaction: a node that starts meanwhile waits, and then finds that its key is the old one. */
export async function lockInstallation(tx: Queryable): Promise<void> {
  await tx.query(`set local lock_timeout = '5s'`);
  await tx.query('lock table installation in access exclusive mode');
}

export interface NewSeals {
  keyCheck: Buffer;
  sealedCredentialKey: Buffer;
}

export async function saveSeals(tx: Queryable, { keyCheck, sealedCredentialKey }: NewSeals): Promise<void> {
  await tx.query('update installation set key_check = $1, sealed_credential_key = $2, seals_bound = true', [
    keyCheck,
    sealedCredentialKey,
  ]);
}

interface Reseal {
  from: Pick<Vault, 'open'>;
  to: Pick<Vault, 'seal'>;
}

const COLUMNS = [
  { table: 'webhook_secrets', column: 'sealed_secret', placeOf: SEALED_IN.webhookSecret },
  { table: 'mail_outbox', column: 'sealed_body', placeOf: SEALED_IN.mailBody },
] as const;

/** Says how many there were. */
export async function resealRows(tx: Queryable, { from, to }: Reseal): Promise<number> {
  let count = 0;
  for (const { table, column, placeOf } of COLUMNS) {
    const rows = await tx.query<{ id: string; sealed: Buffer }>(
      `select id, ${column} as sealed from ${table} where ${column} is not null order by id for update`,
    );
    for (const { id, sealed } of rows) {
      const place = placeOf(id);
      const anew = to.seal(from.open(sealed, place), place);
      await tx.query(`update ${table} set ${column} = $2 where id = $1`, [id, anew]);
    }
    count += rows.length;
  }
  return count;
}

interface SealedSecondFactor {
  id: string;
  secret: string;
  backupCodes: string;
}

/** Sealed by the authentication library, with a key that follows from the master key. */
export async function resealSecondFactors(tx: Queryable, reseal: (sealed: string) => Promise<string>): Promise<number> {
  const rows = await tx.query<SealedSecondFactor>(
    'select id, secret, backup_codes as "backupCodes" from two_factors order by id for update',
  );
  for (const { id, secret, backupCodes } of rows) {
    await tx.query('update two_factors set secret = $2, backup_codes = $3 where id = $1', [
      id,
      await reseal(secret),
      await reseal(backupCodes),
    ]);
  }
  return rows.length;
}

/** Cookies are signed with a key that follows from the master key: nobody has one that counts any more. */
export async function deleteAllSessions(tx: Queryable): Promise<void> {
  await tx.query('delete from sessions');
  await tx.query('delete from verifications');
}
