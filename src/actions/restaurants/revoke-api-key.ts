import { isInScope, type Scope } from '../../domain/people/scope.ts';
import type { Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { findApiKeyById, revokeApiKeyById } from '../../store/restaurants/credential-lists.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';

export interface RevokeApiKeyRequest extends ByActor {
  keyId: string;
  scope: Scope;
}

export type RevokeApiKeyResult = { kind: 'revoked' | 'unchanged'; keyId: string; prefix: string } | Refused;

/** Idempotent. */
export function revokeApiKey(
  deps: Pick<AdministrationDeps, 'db' | 'clock'>,
  request: RevokeApiKeyRequest,
): Promise<RevokeApiKeyResult> {
  return deps.db.transaction(async (tx) => {
    const key = await findApiKeyById(tx, request.keyId);
    if (key === undefined || !isInScope(request.scope, { ...key, courierId: null })) return NOT_FOUND;
    const now = deps.clock.now();
    const named = { keyId: key.id, prefix: key.prefix };
    if (!(await revokeApiKeyById(tx, key.id, now))) return { kind: 'unchanged', ...named };
    await recordChange(tx, {
      at: now,
      actor: request.actor,
      restaurantId: key.restaurantId,
      action: 'api_key.revoked',
      detail: named,
    });
    return { kind: 'revoked', ...named };
  });
}
