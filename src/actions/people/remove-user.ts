import { refused, type Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { deleteUser } from '../../store/people/users.ts';
import { NOT_FOUND, type AdministrationDeps } from '../administration.ts';
import { refuseLastOfRole, lockPerson, type PersonRequest } from './user-access.ts';

/** Also deletes their password, sessions and links; the audit log keeps their address. */
export function removeUser(deps: AdministrationDeps, request: PersonRequest): Promise<{ kind: 'removed' } | Refused> {
  return deps.db.transaction(async (tx) => {
    const found = await lockPerson(tx, request);
    if (found === undefined) return NOT_FOUND;
    const { person, peers } = found;
    const gap = refuseLastOfRole(person, peers);
    if (gap !== undefined) return refused(gap);
    await deleteUser(tx, person.id);
    await recordChange(tx, {
      at: deps.clock.now(),
      actor: request.actor,
      restaurantId: person.restaurantId,
      action: 'user.removed',
      detail: { userId: person.id, email: person.email, role: person.role },
    });
    return { kind: 'removed' };
  });
}
