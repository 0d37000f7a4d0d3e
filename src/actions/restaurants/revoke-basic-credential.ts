import { isInScope, type Scope } from '../../domain/people/scope.ts';
import type { Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { findBasicCredentialById, revokeBasicCredentialById } from '../../store/restaurants/credential-lists.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';

export interface RevokeBasicCredentialRequest extends ByActor {
  credentialId: string;
  scope: Scope;
}

export type RevokeBasicCredentialResult = { kind: 'revoked' | 'unchanged'; username: string } | Refused;

/** Idempotent. */
export function revokeBasicCredential(
  deps: Pick<AdministrationDeps, 'db' | 'clock'>,
  request: RevokeBasicCredentialRequest,
): Promise<RevokeBasicCredentialResult> {
  return deps.db.transaction(async (tx) => {
    const credential = await findBasicCredentialById(tx, request.credentialId);
    if (credential === undefined || !isInScope(request.scope, { ...credential, courierId: null })) return NOT_FOUND;
    const { username, restaurantId } = credential;
    const now = deps.clock.now();
    if (!(await revokeBasicCredentialById(tx, credential.id, now))) return { kind: 'unchanged', username };
    await recordChange(tx, {
      at: now,
      actor: request.actor,
      restaurantId,
      action: 'basic_credential.revoked',
      detail: { credentialId: credential.id, username },
    });
    return { kind: 'revoked', username };
  });
}
