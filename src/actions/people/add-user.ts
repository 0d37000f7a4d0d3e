import { isRestaurantRole, type Role } from '../../domain/people/roles.ts';
import { refuse, refused, refuseValue, refuseWith, type Refused } from '../../domain/refusals.ts';
import { hashPassword } from '../../secrets/passwords.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { insertUser, savePassword, type NewUser } from '../../store/people/users.ts';
import { generatePassword } from '../../secrets/vault.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';
import { findBelongingProblem } from './user-access.ts';
import { INVALID_EMAIL, isEmail } from '../restaurants/restaurant-settings.ts';

export interface AddUserRequest extends ByActor {
  email: string;
  role: Role;
  /** Waybill's own id. */
  restaurantId: string | null;
  /** For couriers: the id of their courier profile. */
  courierId?: string | null;
}

export interface AddedUser {
  kind: 'added';
  user: NewUser;
  /** Returned only here. */
  password: string;
}

export async function addUser(deps: AdministrationDeps, request: AddUserRequest): Promise<AddedUser | Refused> {
  const { role, restaurantId, courierId = null } = request;
  const email = request.email.trim().toLowerCase();
  if (!isEmail(email)) return refused(refuseValue({ field: 'email', message: INVALID_EMAIL }));
  if (isRestaurantRole(role) && restaurantId === null) return refused(refuse('USER_007'));
  if (role === 'operator' && restaurantId !== null) return refused(refuse('USER_008'));
  if (role !== 'courier' && courierId !== null) return refused(refuse('USER_009'));
  const password = generatePassword(deps.randomBytes);
  const passwordHash = await hashPassword(password, deps.randomBytes);
  return deps.db.transaction(async (tx) => {
    const problem = await findBelongingProblem(tx, { restaurantId, courierId });
    if (problem !== undefined) return refused(refuseValue(problem));
    const now = deps.clock.now();
    const user: NewUser = { id: deps.newId(), email, name: '', role, restaurantId, courierId, createdAt: now };
    if (!(await insertUser(tx, user))) return refused(refuseWith('USER_001', { email }));
    await savePassword(tx, { id: deps.newId(), userId: user.id, hash: passwordHash, at: now });
    await recordChange(tx, {
      at: now,
      actor: request.actor,
      restaurantId: user.restaurantId,
      action: 'user.added',
      detail: { userId: user.id, email, role },
    });
    return { kind: 'added', user, password };
  });
}
