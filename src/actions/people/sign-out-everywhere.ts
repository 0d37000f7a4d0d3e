import { isInScope } from '../../domain/people/scope.ts';
import type { Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { deleteSessionsOfUser } from '../../store/people/sessions.ts';
import { findUser } from '../../store/people/users.ts';
import { NOT_FOUND, type AdministrationDeps } from '../administration.ts';
import type { PersonRequest } from './user-access.ts';

/** Ends all of a user's sessions, including the calling one. */
export function signOutEverywhere(
  deps: Pick<AdministrationDeps, 'db' | 'clock'>,
  { userId, scope, actor }: PersonRequest,
): Promise<{ kind: 'signed-out' } | Refused> {
  return deps.db.transaction(async (tx) => {
    const user = await findUser(tx, userId);
    if (user === undefined || !isInScope(scope, user)) return NOT_FOUND;
    await deleteSessionsOfUser(tx, userId);
    await recordChange(tx, {
      at: deps.clock.now(),
      actor,
      restaurantId: user.restaurantId,
      action: 'user.signed_out_everywhere',
      detail: { userId },
    });
    return { kind: 'signed-out' };
  });
}
