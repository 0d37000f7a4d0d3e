// The authentication library seals second factors with a key derived from the master key.
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import type { Vault } from '../secrets/vault.ts';
import { deriveAccountSecret } from './account-secret.ts';

type Hashing = Pick<Vault, 'keyedHash'>;

/** Reseals from the key derived from one master key to that of another. */
export function createSecondFactorReseal({
  from,
  to,
}: {
  from: Hashing;
  to: Hashing;
}): (sealed: string) => Promise<string> {
  const [old, replacement] = [deriveAccountSecret(from), deriveAccountSecret(to)];
  return async (sealed) =>
    symmetricEncrypt({ key: replacement, data: await symmetricDecrypt({ key: old, data: sealed }) });
}
