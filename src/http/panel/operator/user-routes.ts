// Operator routes to invite, disable and help users of every role.
import { inviteAgain, inviteUser, type Invited } from '../../../actions/people/invite-user.ts';
import type { PersonRequest } from '../../../actions/people/user-access.ts';
import { removeUser } from '../../../actions/people/remove-user.ts';
import { resetSecondFactor } from '../../../actions/people/reset-second-factor.ts';
import { signOutEverywhere } from '../../../actions/people/sign-out-everywhere.ts';
import { switchUser } from '../../../actions/people/switch-user.ts';
import { usersApi, type InviteUserAnswer, type UserEntry } from '../../../contract/panel/operator/users.ts';
import type { BodyOf } from '../../../contract/panel/routes.ts';
import { refuse, type Refusal } from '../../../domain/refusals.ts';
import { formatUtc } from '../../../domain/time.ts';
import { findCourier } from '../../../store/couriers/couriers.ts';
import { searchUsers, type UserEntry as StoredEntry } from '../../../store/people/user-list.ts';
import { findRestaurant } from '../../../store/restaurants/restaurants.ts';
import { findUser } from '../../../store/people/users.ts';
import { ok, refused, type Answer } from '../../protocol/answer.ts';
import { declined, done } from '../guard.ts';
import { panelRoute, type PanelDeps, type PanelSession } from '../route.ts';

const OPERATORS = ['operator'] as const;
const PAGE_USERS = 50;

export const operatorUserRoutes = [
  panelRoute(usersApi.search, {
    roles: OPERATORS,
    handler: async (deps, { query }) => {
      const { q: text, role = null, after = null } = query;
      const now = deps.clock.now();
      const found = await searchUsers(deps.db, { text, role, after, limit: PAGE_USERS + 1, now });
      const page = found.slice(0, PAGE_USERS);
      return ok({
        users: page.map(describeUser),
        next: found.length > PAGE_USERS ? (page.at(-1)?.email ?? null) : null,
      });
    },
  }),
  panelRoute(usersApi.invite, {
    roles: OPERATORS,
    handler: async (deps, { session, body }) => {
      const problem = await findBelongingProblem(deps, body);
      if (problem !== undefined) return refused(problem);
      const { email, name, role } = body;
      const restaurantId = 'restaurantId' in body ? body.restaurantId : null;
      const courierId = 'courierId' in body ? body.courierId : null;
      const invited = await inviteUser(deps, { email, name, role, restaurantId, courierId, actor: session.actor });
      return invited.kind === 'invited' ? answerInvited(deps, invited, 201) : declined(invited);
    },
  }),
  panelRoute(usersApi.inviteAgain, {
    roles: OPERATORS,
    handler: async (deps, call) => {
      const invited = await inviteAgain(deps, toRequest(call));
      return invited.kind === 'invited' ? answerInvited(deps, invited, 200) : declined(invited);
    },
  }),
  panelRoute(usersApi.change, {
    roles: OPERATORS,
    handler: async (deps, call) => {
      const result = await switchUser(deps, { ...toRequest(call), ...call.body });
      return result.kind === 'changed' ? done() : declined(result);
    },
  }),
  panelRoute(usersApi.resetTwoFactor, {
    roles: OPERATORS,
    handler: async (deps, call) => {
      const result = await resetSecondFactor(deps, toRequest(call));
      return result.kind === 'reset' ? done() : declined(result);
    },
  }),
  panelRoute(usersApi.signOut, {
    roles: OPERATORS,
    handler: async (deps, { session, params: { userId } }) => {
      const user = await findUser(deps.db, userId);
      if (user === undefined) return refused(refuse('PANEL_001'));
      await signOutEverywhere(deps, { userId, restaurantId: user.restaurantId, actor: session.actor });
      return done();
    },
  }),
  panelRoute(usersApi.remove, {
    roles: OPERATORS,
    handler: async (deps, call) => {
      const result = await removeUser(deps, toRequest(call));
      return result.kind === 'removed' ? done() : declined(result);
    },
  }),
];

function toRequest({
  session,
  params: { userId },
}: {
  session: PanelSession;
  params: { userId: string };
}): PersonRequest {
  return { scope: 'everybody', userId, actor: session.actor };
}

async function findBelongingProblem(
  deps: PanelDeps,
  invitation: BodyOf<typeof usersApi.invite>,
): Promise<Refusal | undefined> {
  const wrong = (field: string, message: string) => refuse('REQ_004', undefined, [{ field, message }]);
  if ('restaurantId' in invitation && (await findRestaurant(deps.db, invitation.restaurantId)) === undefined) {
    return wrong('restaurantId', 'Must be an existing restaurant');
  }
  if ('courierId' in invitation && (await findCourier(deps.db, invitation.courierId)) === undefined) {
    return wrong('courierId', 'Must be an existing courier');
  }
  return undefined;
}

function answerInvited(deps: PanelDeps, { user, invitation }: Invited, status: 200 | 201): Answer<InviteUserAnswer> {
  return ok(
    {
      email: user.email,
      invitationLink: deps.hasMailServer ? null : invitation.link,
      expiresAt: formatUtc(invitation.expiresAt),
    },
    status,
  );
}

function describeUser({ id, hasPassword, disabledAt, lastSeenAt, createdAt, ...user }: StoredEntry): UserEntry {
  const joined = hasPassword ? 'active' : 'invited';
  return {
    ...user,
    userId: id,
    state: disabledAt === null ? joined : 'disabled',
    lastSeenAt: formatUtc(lastSeenAt),
    createdAt: formatUtc(createdAt),
  };
}
