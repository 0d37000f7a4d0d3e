import { hashPassword } from '../../secrets/passwords.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { deleteLinksOfUser } from '../../store/people/account-links.ts';
import { deleteSessionsOfUser } from '../../store/people/sessions.ts';
import { deleteTwoFactor, findUserByEmail, savePassword } from '../../store/people/users.ts';
import { generatePassword } from '../../secrets/vault.ts';
import { refused, type AdministrationDeps, type ByActor, type Refused } from '../administration.ts';

export interface ResetUserPasswordRequest extends ByActor {
  email: string;
  /** Also removes the second factor, for a user who lost its device. */
  endsTwoFactor?: boolean;
}

export async function resetUserPassword(
  deps: AdministrationDeps,
  request: ResetUserPasswordRequest,
): Promise<{ kind: 'reset'; email: string; password: string } | Refused> {
  const email = request.email.trim().toLowerCase();
  const password = generatePassword(deps.randomBytes);
  const passwordHash = await hashPassword(password, deps.randomBytes);
  return deps.db.transaction(async (tx) => {
    const user = await findUserByEmail(tx, email);
    if (user === undefined) return refused(`There is no user with the address ${JSON.stringify(email)}.`);
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
