import type { Queryable } from '../../store/database/database.ts';
import { findInstallation, insertInstallation, type Installation } from '../../store/upkeep/installation.ts';
import { SEALED_IN, VaultError, type Vault } from '../../secrets/vault.ts';

export const CHECK_TEXT = 'Waybill';

/**
 * Whether the database was created with this master key; if so, prepares the vault for it. Check at startup: with
 * another key every API key would look unknown and every webhook secret unreadable.
 */
export async function checkMasterKey(db: Queryable, vault: Vault): Promise<boolean> {
  const known = await findInstallation(db);
  if (known !== undefined) return adoptInstallation(vault, known);
  await insertInstallation(db, vault.seal(CHECK_TEXT, SEALED_IN.keyCheck));
  const decided = await findInstallation(db);
  return decided !== undefined && adoptInstallation(vault, decided);
}

/** For a process whose node has already checked the key. */
export async function prepareVault(db: Queryable, vault: Vault): Promise<void> {
  const installation = await findInstallation(db);
  if (installation !== undefined && !adoptInstallation(vault, installation)) throw new Error(WRONG_MASTER_KEY);
}

/** False: the installation was created with another master key. */
export function adoptInstallation(vault: Vault, { keyCheck, sealsBound, sealedCredentialKey }: Installation): boolean {
  vault.adopt({ isBound: sealsBound, credentialKey: null });
  try {
    if (vault.open(keyCheck, SEALED_IN.keyCheck) !== CHECK_TEXT) return false;
    if (sealedCredentialKey === null) return true;
    const credentialKey = Buffer.from(vault.open(sealedCredentialKey, SEALED_IN.credentialKey), 'base64');
    vault.adopt({ isBound: sealsBound, credentialKey });
    return true;
  } catch (error) {
    if (error instanceof VaultError) return false;
    throw error;
  }
}

export const WRONG_MASTER_KEY =
  'The database uses a different master key. Set the correct one in WAYBILL_MASTER_KEY, or in master.key in the data folder. If a rotation was interrupted, run master-key rotate again.';
