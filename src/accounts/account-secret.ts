import type { Vault } from '../secrets/vault.ts';

/** The authentication library never sees the master key: it gets a key derived only for it. */
export function deriveAccountSecret(vault: Pick<Vault, 'keyedHash'>): string {
  return vault.keyedHash('signing of sessions 1').toString('base64');
}
