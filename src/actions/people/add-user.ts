import { isRestaurantRole, type Role } from '../../domain/people/roles.ts';
import { hashPassword } from '../../secrets/passwords.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { listCouriersCalled } from '../../store/couriers/couriers.ts';
import type { Queryable } from '../../store/database/database.ts';
import { findRestaurantByProviderId } from '../../store/restaurants/restaurants.ts';
import { insertUser, savePassword, type NewUser } from '../../store/people/users.ts';
import { generatePassword } from '../../secrets/vault.ts';
import {
  refused,
  refuseUnknownRestaurant,
  type AdministrationDeps,
  type ByActor,
  type Refused,
} from '../administration.ts';
import { isEmail } from '../restaurants/restaurant-settings.ts';

export interface AddUserRequest extends ByActor {
  email: string;
  role: Role;
  restaurantId: string | null;
  /** For couriers: their courier profile, by id or name. */
  courier?: string | null;
}

export interface AddedUser {
  kind: 'added';
  user: NewUser;
  /** Returned only here. */
  password: string;
}

export async function addUser(deps: AdministrationDeps, request: AddUserRequest): Promise<AddedUser | Refused> {
  const { role, restaurantId } = request;
  const email = request.email.trim().toLowerCase();
  if (!isEmail(email)) return refused(`${JSON.stringify(request.email)} is not a valid email address.`);
  if (isRestaurantRole(role) && restaurantId === null) {
    return refused('Owners and staff must belong to a restaurant.');
  }
  if (role === 'operator' && restaurantId !== null) {
    return refused('An operator cannot belong to a restaurant.');
  }
  if (role !== 'courier' && (request.courier ?? null) !== null) {
    return refused('Only users with the role courier can be linked to a courier.');
  }
  const password = generatePassword(deps.randomBytes);
  const passwordHash = await hashPassword(password, deps.randomBytes);
  return deps.db.transaction(async (tx) => {
    const restaurant = restaurantId === null ? null : await findRestaurantByProviderId(tx, restaurantId);
    if (restaurant === undefined) return refuseUnknownRestaurant(restaurantId ?? '');
    const now = deps.clock.now();
    const courier = await findCourier(tx, request.courier ?? null);
    if (courier?.kind === 'refused') return courier;
    const user: NewUser = {
      id: deps.newId(),
      email,
      name: '',
      role,
      restaurantId: restaurant?.id ?? null,
      courierId: courier?.id ?? null,
      createdAt: now,
    };
    if (!(await insertUser(tx, user))) {
      return refused(`${email} already has an account.`);
    }
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

async function findCourier(
  tx: Queryable,
  idOrName: string | null,
): Promise<{ kind: 'found'; id: string } | Refused | undefined> {
  if (idOrName === null) return undefined;
  const [courier, ...others] = await listCouriersCalled(tx, idOrName);
  if (courier === undefined) return refused(`There is no courier with the id or name ${JSON.stringify(idOrName)}.`);
  if (others.length > 0)
    return refused(`More than one courier is called ${JSON.stringify(idOrName)}. Use the id instead.`);
  return { kind: 'found', id: courier.id };
}
