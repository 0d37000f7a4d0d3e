import { hashPassword } from '../passwords.ts';
import { recordChange } from '../store/audit.ts';
import { updateUserPassword } from '../store/users.ts';
import { generatePassword } from '../vault.ts';
import { refused, type AdministrationDeps, type ByActor, type Refused } from './administration.ts';

export interface ResetUserPasswordRequest extends ByActor {
  email: string;
}

export async function resetUserPassword(
  deps: AdministrationDeps,
  request: ResetUserPasswordRequest,
): Promise<{ kind: 'reset'; email: string; password: string } | Refused> {
  const email = request.email.trim().toLowerCase();
  const password = generatePassword(deps.randomBytes);
  const passwordHash = await hashPassword(password, deps.randomBytes);
  return deps.db.transaction(async (tx) => {
    const user = await updateUserPassword(tx, email, passwordHash);
    if (user === undefined) return refused(`Nobody has the address ${JSON.stringify(email)}; see: user list`);
    await recordChange(tx, {
      at: deps.clock.now(),
      actor: request.actor,
      restaurantId: user.restaurantId,
      action: 'user.password_reset',
      detail: { email },
    });
    return { kind: 'reset', email, password };
  });
}
