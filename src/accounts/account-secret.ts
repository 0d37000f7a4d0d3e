import type { Vault } from '../secrets/vault.ts';

/** The master key is kept out of the authentication library: it gets a key that was derived for it alone. */
export function deriveAccountSecret(vault: Pick<Vault, 'keyedHash'>): string {
  return vault.keyedHash('signing of sessions 1').toString('base64');
}
