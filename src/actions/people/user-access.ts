// Shared by all changes of users: who may be changed, and who must remain afterwards.
import { isRestaurantRole } from '../../domain/people/roles.ts';
import { isInScope, type Scope } from '../../domain/people/scope.ts';
import { refuse, type FieldProblem, type Refusal } from '../../domain/refusals.ts';
import type { Instant } from '../../domain/time.ts';
import { findCourier } from '../../store/couriers/couriers.ts';
import type { Queryable } from '../../store/database/database.ts';
import { findRestaurant } from '../../store/restaurants/restaurants.ts';
import { findUser, listOperatorsForUpdate, listTeamForUpdate, type User } from '../../store/people/users.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';
import { UNKNOWN_RESTAURANT } from '../restaurants/restaurant-settings.ts';

export interface PersonRequest extends ByActor {
  /** An owner may change the team of their own restaurant; an operator may change any user. */
  scope: Scope;
  userId: string;
}

export type PeopleDeps = AdministrationDeps & {
  /** Base URL of the pages, without a trailing slash. */
  publicUrl: string;
};

/** The user, locked together with their peers, so that those who remain can be counted. */
export async function lockPerson(
  tx: Queryable,
  request: PersonRequest,
): Promise<{ person: User; peers: User[] } | undefined> {
  const found = await findUser(tx, request.userId);
  if (found === undefined || !isInScope(request.scope, found)) return undefined;
  if (request.scope !== 'everything' && !isRestaurantRole(found.role)) return undefined;
  const group = await lockGroup(tx, found);
  const person = group.find(({ id }) => id === found.id);
  return person && { person, peers: group.filter(({ id }) => id !== person.id) };
}

function lockGroup(tx: Queryable, person: User): Promise<User[]> {
  if (isRestaurantRole(person.role) && person.restaurantId !== null) return listTeamForUpdate(tx, person.restaurantId);
  return person.role === 'operator' ? listOperatorsForUpdate(tx) : Promise.resolve([person]);
}

/** Refuses if no owner or operator would remain; undefined if one would. */
export function refuseLastOfRole(person: User, peers: readonly User[]): Refusal | undefined {
  if (person.role !== 'owner' && person.role !== 'operator') return undefined;
  const remains = peers.some((peer) => peer.role === person.role && peer.disabledAt === null && peer.hasPassword);
  if (remains) return undefined;
  return refuse(person.role === 'owner' ? 'USER_002' : 'USER_003');
}

/** A new user's restaurant or courier that does not exist; undefined if both do. */
export async function findBelongingProblem(
  tx: Queryable,
  { restaurantId, courierId }: { restaurantId: string | null; courierId: string | null },
): Promise<FieldProblem | undefined> {
  if (restaurantId !== null && (await findRestaurant(tx, restaurantId)) === undefined) return UNKNOWN_RESTAURANT;
  if (courierId === null || (await findCourier(tx, courierId)) !== undefined) return undefined;
  return { field: 'courierId', message: 'Must be an existing courier' };
}

/** A new secret for a link, and the hash by which it is recognized. */
export function makeLinkToken(deps: Pick<AdministrationDeps, 'randomBytes' | 'vault'>): {
  token: string;
  hash: Buffer;
} {
  const token = deps.randomBytes(32).toString('base64url');
  return { token, hash: hashLinkToken(deps.vault, token) };
}

export function hashLinkToken(vault: Pick<Vault, 'credentialHash'>, token: string): Buffer {
  return vault.credentialHash(`account link ${token}`);
}

/** The token follows `#`, so that no server, log or `Referer` header ever contains it. */
export function linkUrl(deps: PeopleDeps, page: 'invitation' | 'new-password', token: string): string {
  return `${deps.publicUrl}/${page}#${token}`;
}

export interface Invitation {
  link: string;
  expiresAt: Instant;
}
