// Turns what people type on the command line into ids, because actions only take ids. If nothing matches, the error uses
// the words of the command line.
import { listCouriersCalled, type Courier } from '../store/couriers/couriers.ts';
import type { Queryable } from '../store/database/database.ts';
import { findUserByEmail, type User } from '../store/people/users.ts';
import { findApiKeyById, listApiKeys, listBasicCredentials } from '../store/restaurants/credential-lists.ts';
import { findRestaurantByProviderId, type RestaurantProfile } from '../store/restaurants/restaurants.ts';
import { findSupportCase, type SupportCase } from '../store/webhooks/support-cases.ts';
import type { Outcome } from './terminal/command.ts';

type Lookup<Found> = { kind: 'found'; found: Found } | (Outcome & { kind: 'failed' });

/** By the integrator's id. */
export async function findNamedRestaurant(db: Queryable, restaurantId: string): Promise<Lookup<RestaurantProfile>> {
  const restaurant = await findRestaurantByProviderId(db, restaurantId);
  return found(restaurant, `There is no restaurant with the id ${JSON.stringify(restaurantId)}.`);
}

/** By id or exact name. */
export async function findNamedCourier(db: Queryable, idOrName: string): Promise<Lookup<Courier>> {
  const [courier, another] = await listCouriersCalled(db, idOrName);
  const shown = JSON.stringify(idOrName);
  if (another !== undefined) return failed(`More than one courier is named ${shown}. Use the id instead.`);
  return found(courier, `There is no courier with the id or name ${shown}.`);
}

export type ApiKeyName = { keyId: string } | { restaurantId: string; prefix: string };

/** By its id or prefix, or by the whole key, which people may paste instead. */
export async function findNamedKey(db: Queryable, name: ApiKeyName): Promise<Lookup<{ id: string }>> {
  if ('keyId' in name) {
    return found(
      await findApiKeyById(db, name.keyId),
      `There is no API key with the id ${JSON.stringify(name.keyId)}.`,
    );
  }
  const restaurant = await findNamedRestaurant(db, name.restaurantId);
  if (restaurant.kind === 'failed') return restaurant;
  const keys = await listApiKeys(db, restaurant.found.id);
  const matching = keys.filter((key) => name.prefix.startsWith(key.prefix));
  const live = matching.filter((key) => key.revokedAt === null);
  if (live.length > 1) {
    return failed('More than one API key of the restaurant has that prefix. Use the key id instead.');
  }
  return found(live[0] ?? matching[0], 'The restaurant has no API key with that prefix.');
}

export async function findNamedCredential(
  db: Queryable,
  name: { restaurantId: string; username: string },
): Promise<Lookup<{ id: string }>> {
  const restaurant = await findNamedRestaurant(db, name.restaurantId);
  if (restaurant.kind === 'failed') return restaurant;
  const credentials = await listBasicCredentials(db, restaurant.found.id);
  const credential = credentials.find(({ username }) => username === name.username);
  return found(credential, 'The restaurant has no Basic credential with that username.');
}

export async function findUserCalled(db: Queryable, email: string): Promise<Lookup<User>> {
  const address = email.trim().toLowerCase();
  return found(await findUserByEmail(db, address), `There is no user with the address ${JSON.stringify(address)}.`);
}

export async function findCase(db: Queryable, caseId: string): Promise<Lookup<SupportCase>> {
  const supportCase = await findSupportCase(db, caseId);
  return found(supportCase, `There is no support case with the id ${JSON.stringify(caseId)}.`);
}

function found<Found>(value: Found | undefined, otherwise: string): Lookup<Found> {
  return value === undefined ? failed(otherwise) : { kind: 'found', found: value };
}

function failed(message: string): Outcome & { kind: 'failed' } {
  return { kind: 'failed', message };
}
