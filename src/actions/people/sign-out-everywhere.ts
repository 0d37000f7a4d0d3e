import { recordChange } from '../../store/people/audit-log.ts';
import { deleteSessionsOfUser } from '../../store/people/sessions.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';

export interface SignOutEverywhereRequest extends ByActor {
  userId: string;
  restaurantId: string | null;
}

/** Ends all of a user's sessions, including the calling one. */
export function signOutEverywhere(deps: AdministrationDeps, request: SignOutEverywhereRequest): Promise<void> {
  return deps.db.transaction(async (tx) => {
    await deleteSessionsOfUser(tx, request.userId);
    await recordChange(tx, {
      at: deps.clock.now(),
      actor: request.actor,
      restaurantId: request.restaurantId,
      action: 'user.signed_out_everywhere',
      detail: { userId: request.userId },
    });
  });
}
