import { refuse, refused, type Refused } from '../../domain/refusals.ts';
import type { RestaurantRole } from '../../domain/people/roles.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { updateUserRole, type User } from '../../store/people/users.ts';
import { NOT_FOUND, type AdministrationDeps } from '../administration.ts';
import { refuseLastOfRole, lockPerson, type PersonRequest } from './user-access.ts';

export interface ChangeUserRoleRequest extends PersonRequest {
  role: RestaurantRole;
}

/** Only between owner and staff: a restaurant's user can't become a courier or an operator. */
export function changeUserRole(
  deps: AdministrationDeps,
  request: ChangeUserRoleRequest,
): Promise<{ kind: 'changed'; user: User } | Refused> {
  return deps.db.transaction(async (tx) => {
    const found = await lockPerson(tx, request);
    if (found === undefined) return NOT_FOUND;
    const { person, peers } = found;
    const { role } = request;
    if (person.restaurantId === null) return refused(refuse('USER_007'));
    if (person.role === role) return { kind: 'changed', user: person };
    const gap = refuseLastOfRole(person, peers);
    if (gap !== undefined) return refused(gap);
    await updateUserRole(tx, person.id, role);
    await recordChange(tx, {
      at: deps.clock.now(),
      actor: request.actor,
      restaurantId: person.restaurantId,
      action: 'user.role_changed',
      detail: { userId: person.id, email: person.email, from: person.role, to: role },
    });
    return { kind: 'changed', user: { ...person, role } };
  });
}
