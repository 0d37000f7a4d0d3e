import { refused, type Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { deleteLinksOfUser } from '../../store/people/account-links.ts';
import { deleteSessionsOfUser } from '../../store/people/sessions.ts';
import { updateUserDisabled, type User } from '../../store/people/users.ts';
import { NOT_FOUND, type AdministrationDeps } from '../administration.ts';
import { refuseLastOfRole, lockPerson, type PersonRequest } from './user-access.ts';

export interface SwitchUserRequest extends PersonRequest {
  isDisabled: boolean;
}

/** A disabled user is signed out everywhere and can't sign in; everything else about them is kept. */
export function switchUser(
  deps: AdministrationDeps,
  request: SwitchUserRequest,
): Promise<{ kind: 'changed'; user: User } | Refused> {
  const { isDisabled } = request;
  return deps.db.transaction(async (tx) => {
    const found = await lockPerson(tx, request);
    if (found === undefined) return NOT_FOUND;
    const { person, peers } = found;
    if ((person.disabledAt !== null) === isDisabled) return { kind: 'changed', user: person };
    const gap = isDisabled ? refuseLastOfRole(person, peers) : undefined;
    if (gap !== undefined) return refused(gap);
    const now = deps.clock.now();
    const disabledAt = isDisabled ? now : null;
    await updateUserDisabled(tx, person.id, disabledAt);
    if (isDisabled) {
      await deleteSessionsOfUser(tx, person.id);
      await deleteLinksOfUser(tx, person.id);
    }
    await recordChange(tx, {
      at: now,
      actor: request.actor,
      restaurantId: person.restaurantId,
      action: isDisabled ? 'user.disabled' : 'user.enabled',
      detail: { userId: person.id, email: person.email },
    });
    return { kind: 'changed', user: { ...person, disabledAt } };
  });
}
