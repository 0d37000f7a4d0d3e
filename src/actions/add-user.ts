import { hashPassword } from '../passwords.ts';
import { recordChange } from '../store/audit.ts';
import { findRestaurantByProviderId } from '../store/restaurants.ts';
import { insertUser, type User, type UserRole } from '../store/users.ts';
import { generatePassword } from '../vault.ts';
import {
  refused,
  refuseUnknownRestaurant,
  type AdministrationDeps,
  type ByActor,
  type Refused,
} from './administration.ts';
import { isEmail } from './restaurant-settings.ts';

export interface AddUserRequest extends ByActor {
  email: string;
  role: UserRole;
  restaurantId: string | null;
}

export interface AddedUser {
  kind: 'added';
  user: User;
  /** Seen here and never again. */
  password: string;
}

export async function addUser(deps: AdministrationDeps, request: AddUserRequest): Promise<AddedUser | Refused> {
  const { role, restaurantId } = request;
  const email = request.email.trim().toLowerCase();
  if (!isEmail(email)) return refused(`${JSON.stringify(request.email)} is not an e-mail address.`);
  if (role === 'restaurant' && restaurantId === null) {
    return refused('A restaurant user belongs to a restaurant: add --restaurant R');
  }
  if (role === 'operator' && restaurantId !== null) {
    return refused('An operator works for all restaurants: leave --restaurant out.');
  }
  const password = generatePassword(deps.randomBytes);
  const passwordHash = await hashPassword(password, deps.randomBytes);
  return deps.db.transaction(async (tx) => {
    const restaurant = restaurantId === null ? null : await findRestaurantByProviderId(tx, restaurantId);
    if (restaurant === undefined) return refuseUnknownRestaurant(restaurantId ?? '');
    const now = deps.clock.now();
    const user: User = { id: deps.newId(), email, role, restaurantId: restaurant?.id ?? null, createdAt: now };
    if (!(await insertUser(tx, { ...user, passwordHash }))) {
      return refused(`${email} has an account already; give it a new password with: user password --email ${email}`);
    }
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
