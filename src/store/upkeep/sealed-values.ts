// Everything encrypted with the master key, for the command that rotates the key.
import { SEALED_IN, VaultError, type Vault } from '../../secrets/vault.ts';
import type { Queryable } from '../database/database.ts';

/** Until the end of the transaction: a node that starts meanwhile waits, then finds that it has the old key. */
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

export interface Resealed {
  count: number;
  /** Values that the old key could not decrypt; left unchanged, because they must not block key rotation. */
  unreadable: string[];
}

export async function resealRows(tx: Queryable, { from, to }: Reseal): Promise<Resealed> {
  const resealed: Resealed = { count: 0, unreadable: [] };
  for (const { table, column, placeOf } of COLUMNS) {
    const rows = await tx.query<{ id: string; sealed: Buffer }>(
      `select id, ${column} as sealed from ${table} where ${column} is not null order by id for update`,
    );
    for (const { id, sealed } of rows) {
      const place = placeOf(id);
      const opened = tryOpen(from, sealed, place);
      if (opened === undefined) {
        resealed.unreadable.push(`${table} ${id}`);
        continue;
      }
      await tx.query(`update ${table} set ${column} = $2 where id = $1`, [id, to.seal(opened, place)]);
      resealed.count += 1;
    }
  }
  return resealed;
}

function tryOpen(vault: Pick<Vault, 'open'>, sealed: Buffer, place: string): string | undefined {
  try {
    return vault.open(sealed, place);
  } catch (error) {
    if (error instanceof VaultError) return undefined;
    throw error;
  }
}

interface SealedSecondFactor {
  id: string;
  secret: string;
  backupCodes: string;
}

/** Encrypted by the authentication library with a key derived from the master key. */
export async function resealSecondFactors(
  tx: Queryable,
  reseal: (sealed: string) => Promise<string>,
): Promise<Resealed> {
  const rows = await tx.query<SealedSecondFactor>(
    'select id, secret, backup_codes from two_factors order by id for update',
  );
  const resealed: Resealed = { count: 0, unreadable: [] };
  for (const { id, secret, backupCodes } of rows) {
    const opened = await Promise.all([reseal(secret), reseal(backupCodes)]).catch(() => undefined);
    if (opened === undefined) {
      resealed.unreadable.push(`two_factors ${id}`);
      continue;
    }
    await tx.query('update two_factors set secret = $2, backup_codes = $3 where id = $1', [id, ...opened]);
    resealed.count += 1;
  }
  return resealed;
}

/** Cookies are signed with a key derived from the master key, so no existing cookie is valid any more. */
export async function deleteAllSessions(tx: Queryable): Promise<void> {
  await tx.query('delete from sessions');
  await tx.query('delete from verifications');
}
