import { isInScope } from '../../domain/people/scope.ts';
import type { Refused } from '../../domain/refusals.ts';
import { hashPassword } from '../../secrets/passwords.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { deleteLinksOfUser } from '../../store/people/account-links.ts';
import { deleteSessionsOfUser } from '../../store/people/sessions.ts';
import { deleteTwoFactor, findUser, savePassword } from '../../store/people/users.ts';
import { generatePassword } from '../../secrets/vault.ts';
import { NOT_FOUND, type AdministrationDeps } from '../administration.ts';
import type { PersonRequest } from './user-access.ts';

export interface ResetUserPasswordRequest extends PersonRequest {
  /** Also removes the second factor, for a user who lost its device. */
  endsTwoFactor?: boolean;
}

export async function resetUserPassword(
  deps: AdministrationDeps,
  request: ResetUserPasswordRequest,
): Promise<{ kind: 'reset'; email: string; password: string } | Refused> {
  const password = generatePassword(deps.randomBytes);
  const passwordHash = await hashPassword(password, deps.randomBytes);
  return deps.db.transaction(async (tx) => {
    const user = await findUser(tx, request.userId);
    if (user === undefined || !isInScope(request.scope, user)) return NOT_FOUND;
    const { email } = user;
    const now = deps.clock.now();
    await savePassword(tx, { id: deps.newId(), userId: user.id, hash: passwordHash, at: now });
    await deleteSessionsOfUser(tx, user.id);
    await deleteLinksOfUser(tx, user.id);
    if (request.endsTwoFactor === true) await deleteTwoFactor(tx, user.id);
    await recordChange(tx, {
      at: now,
      actor: request.actor,
      restaurantId: user.restaurantId,
      action: 'user.password_reset',
      detail: { email, endedTwoFactor: request.endsTwoFactor === true },
    });
    return { kind: 'reset', email, password };
  });
}
