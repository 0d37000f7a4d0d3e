import { refused, refuseWith, type Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { deleteSessionsOfUser } from '../../store/people/sessions.ts';
import { deleteTwoFactor } from '../../store/people/users.ts';
import { NOT_FOUND, type AdministrationDeps } from '../administration.ts';
import { lockPerson, type PersonRequest } from './user-access.ts';

/** For a user who lost their device. Signs the lost device out, too. */
export function resetSecondFactor(
  deps: AdministrationDeps,
  request: PersonRequest,
): Promise<{ kind: 'reset' } | Refused> {
  return deps.db.transaction(async (tx) => {
    const found = await lockPerson(tx, request);
    if (found === undefined) return NOT_FOUND;
    const { person } = found;
    if (!person.hasTwoFactor) return refused(refuseWith('USER_006', { email: person.email }));
    await deleteTwoFactor(tx, person.id);
    await deleteSessionsOfUser(tx, person.id);
    await recordChange(tx, {
      at: deps.clock.now(),
      actor: request.actor,
      restaurantId: person.restaurantId,
      action: 'user.two_factor_reset',
      detail: { userId: person.id, email: person.email },
    });
    return { kind: 'reset' };
  });
}
