import { recordChange } from '../../store/people/audit-log.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';

export interface AccountChange extends ByActor {
  userId: string;
  restaurantId: string | null;
  action:
    | 'user.password_changed'
    | 'user.two_factor_enabled'
    | 'user.two_factor_disabled'
    | 'user.backup_codes_renewed';
}

/** Records a change that the authentication library made itself. */
export function noteAccountChange(deps: AdministrationDeps, change: AccountChange): Promise<void> {
  return deps.db.transaction((tx) =>
    recordChange(tx, {
      at: deps.clock.now(),
      actor: change.actor,
      restaurantId: change.restaurantId,
      action: change.action,
      detail: { userId: change.userId },
    }),
  );
}
