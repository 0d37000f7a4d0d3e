import { refuse, refused, refuseValue, refuseWith, type Refused } from '../../domain/refusals.ts';
import { isRestaurantRole, type Role } from '../../domain/people/roles.ts';
import { HOUR_MS } from '../../domain/time.ts';
import { insertLink } from '../../store/people/account-links.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import type { Queryable } from '../../store/database/database.ts';
import { enqueueMail } from '../../store/people/mail-outbox.ts';
import { findRestaurant } from '../../store/restaurants/restaurants.ts';
import { insertUser, type User } from '../../store/people/users.ts';
import { NOT_FOUND, type ByActor } from '../administration.ts';
import {
  findBelongingProblem,
  linkUrl,
  lockPerson,
  makeLinkToken,
  type Invitation,
  type PeopleDeps,
  type PersonRequest,
} from './user-access.ts';
import { INVALID_EMAIL, isEmail, isLabel } from '../restaurants/restaurant-settings.ts';

const INVITATION_LIFETIME_MS = 7 * 24 * HOUR_MS;

export interface InviteUserRequest extends ByActor {
  email: string;
  name: string;
  role: Role;
  /** For owners and staff. */
  restaurantId: string | null;
  /** For couriers: the id of their courier profile. */
  courierId?: string | null;
}

export type Invited = { kind: 'invited'; user: User; invitation: Invitation };

/** Adds a user without a password and emails them a link to choose one. */
export async function inviteUser(deps: PeopleDeps, request: InviteUserRequest): Promise<Invited | Refused> {
  const email = request.email.trim().toLowerCase();
  const { name, role, restaurantId, courierId = null } = request;
  if (!isEmail(email)) return refused(refuseValue({ field: 'email', message: INVALID_EMAIL }));
  if (name !== '' && !isLabel(name, 100)) {
    return refused(
      refuseValue({ field: 'name', message: 'Must be at most 100 characters without control characters' }),
    );
  }
  const needsRestaurant = isRestaurantRole(role);
  if (needsRestaurant !== (restaurantId !== null)) return refused(refuse(needsRestaurant ? 'USER_007' : 'USER_008'));
  return deps.db.transaction(async (tx) => {
    const problem = await findBelongingProblem(tx, { restaurantId, courierId });
    if (problem !== undefined) return refused(refuseValue(problem));
    const now = deps.clock.now();
    const added = { id: deps.newId(), email, name, role, restaurantId, courierId, createdAt: now };
    if (!(await insertUser(tx, added))) return refused(refuseWith('USER_001', { email }));
    await recordChange(tx, {
      at: now,
      actor: request.actor,
      restaurantId,
      action: 'user.invited',
      detail: { userId: added.id, email, role },
    });
    const user: User = { ...added, hasTwoFactor: false, hasPassword: false, disabledAt: null };
    return { kind: 'invited', user, invitation: await sendInvitation(deps, tx, user) };
  });
}

/** Sends a new link to a user who hasn't used the first one. */
export function inviteAgain(deps: PeopleDeps, request: PersonRequest): Promise<Invited | Refused> {
  return deps.db.transaction(async (tx) => {
    const found = await lockPerson(tx, request);
    if (found === undefined) return NOT_FOUND;
    const { person: user } = found;
    if (user.hasPassword) return refused(refuseWith('USER_004', { email: user.email }));
    if (user.disabledAt !== null) return refused(refuseWith('USER_005', { email: user.email }));
    await recordChange(tx, {
      at: deps.clock.now(),
      actor: request.actor,
      restaurantId: user.restaurantId,
      action: 'user.invited_again',
      detail: { userId: user.id, email: user.email },
    });
    return { kind: 'invited', user, invitation: await sendInvitation(deps, tx, user) };
  });
}

async function sendInvitation(deps: PeopleDeps, tx: Queryable, user: User): Promise<Invitation> {
  const now = deps.clock.now();
  const { token, hash } = makeLinkToken(deps);
  const expiresAt = now + INVITATION_LIFETIME_MS;
  await insertLink(tx, { tokenHash: hash, userId: user.id, purpose: 'invitation', createdAt: now, expiresAt });
  const restaurant = user.restaurantId === null ? undefined : await findRestaurant(tx, user.restaurantId);
  const link = linkUrl(deps, 'invitation', token);
  const place = restaurant === undefined ? 'Waybill' : `${restaurant.name} on Waybill`;
  await enqueueMail(tx, deps.vault, {
    id: deps.newId(),
    now,
    to: user.email,
    subject: `You're invited to ${place}`,
    text: [
      `Hello${user.name === '' ? '' : ` ${user.name}`},`,
      `You're invited to join ${place}. Choose a password here:`,
      link,
      'The link works once and expires after seven days. If you did not expect this invitation, ignore this email.',
    ].join('\n\n'),
  });
  return { link, expiresAt };
}
