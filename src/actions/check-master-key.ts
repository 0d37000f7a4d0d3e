import type { Queryable } from '../store/database.ts';
import { findKeyCheck, insertKeyCheck } from '../store/installation.ts';
import { VaultError, type Vault } from '../vault.ts';

const CHECK_TEXT = 'Waybill';

/**
 * Whether this is the master key that the database was made with. To be asked at start: with another key every API
 * key would look unknown and every webhook secret unreadable.
 */
export async function checkMasterKey(db: Queryable, vault: Vault): Promise<boolean> {
  const keyCheck = await findKeyCheck(db);
  if (keyCheck !== undefined) return opensKeyCheck(vault, keyCheck);
  await insertKeyCheck(db, vault.seal(CHECK_TEXT));
  const decided = await findKeyCheck(db);
  return decided !== undefined && opensKeyCheck(vault, decided);
}

export function opensKeyCheck(vault: Vault, keyCheck: Buffer): boolean {
  try {
    return vault.open(keyCheck) === CHECK_TEXT;
  } catch (error) {
    if (error instanceof VaultError) return false;
    throw error;
  }
}

export const WRONG_MASTER_KEY =
  'The database was made with another master key. Put the right one back in WAYBILL_MASTER_KEY, or in master.key in the data folder.';
