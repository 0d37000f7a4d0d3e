// Operator routes to invite, disable and help users of every role.
import { inviteAgain, inviteUser, type Invited } from '../../../actions/people/invite-user.ts';
import type { PersonRequest } from '../../../actions/people/user-access.ts';
import { removeUser } from '../../../actions/people/remove-user.ts';
import { resetSecondFactor } from '../../../actions/people/reset-second-factor.ts';
import { signOutEverywhere } from '../../../actions/people/sign-out-everywhere.ts';
import { switchUser } from '../../../actions/people/switch-user.ts';
import { usersApi, type InviteUserAnswer, type UserEntry } from '../../../contract/panel/operator/users.ts';
import { formatUtc } from '../../../domain/time.ts';
import { searchUsers, type UserEntry as StoredEntry } from '../../../store/people/user-list.ts';
import { ok, type Answer } from '../../protocol/answer.ts';
import { done } from '../guard.ts';
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
      const { email, name, role } = body;
      const restaurantId = 'restaurantId' in body ? body.restaurantId : null;
      const courierId = 'courierId' in body ? body.courierId : null;
      const invited = await inviteUser(deps, { email, name, role, restaurantId, courierId, actor: session.actor });
      return invited.kind === 'refused' ? invited : answerInvited(deps, invited, 201);
    },
  }),
  panelRoute(usersApi.inviteAgain, {
    roles: OPERATORS,
    handler: async (deps, call) => {
      const invited = await inviteAgain(deps, toRequest(call));
      return invited.kind === 'refused' ? invited : answerInvited(deps, invited, 200);
    },
  }),
  panelRoute(usersApi.change, {
    roles: OPERATORS,
    handler: async (deps, call) => {
      const result = await switchUser(deps, { ...toRequest(call), ...call.body });
      return result.kind === 'refused' ? result : done();
    },
  }),
  panelRoute(usersApi.resetTwoFactor, {
    roles: OPERATORS,
    handler: async (deps, call) => {
      const result = await resetSecondFactor(deps, toRequest(call));
      return result.kind === 'refused' ? result : done();
    },
  }),
  panelRoute(usersApi.signOut, {
    roles: OPERATORS,
    handler: async (deps, call) => {
      const result = await signOutEverywhere(deps, toRequest(call));
      return result.kind === 'refused' ? result : done();
    },
  }),
  panelRoute(usersApi.remove, {
    roles: OPERATORS,
    handler: async (deps, call) => {
      const result = await removeUser(deps, toRequest(call));
      return result.kind === 'refused' ? result : done();
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
  return { scope: 'everything', userId, actor: session.actor };
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
