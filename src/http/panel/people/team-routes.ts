// A restaurant's team, managed by its owners; and operators who act as a restaurant.
import { beginActing, endActing } from '../../../actions/people/act-as-restaurant.ts';
import { changeUserRole } from '../../../actions/people/change-user-role.ts';
import { inviteAgain, inviteUser, type Invited } from '../../../actions/people/invite-user.ts';
import { removeUser } from '../../../actions/people/remove-user.ts';
import { switchUser } from '../../../actions/people/switch-user.ts';
import { impersonationApi } from '../../../contract/panel/people/session.ts';
import { teamApi, type InviteAnswer, type Member } from '../../../contract/panel/people/team.ts';
import { refuse, refused } from '../../../domain/refusals.ts';
import { formatUtc } from '../../../domain/time.ts';
import { listTeam, type User } from '../../../store/people/users.ts';
import { ok, type Answer } from '../../protocol/answer.ts';
import { done } from '../guard.ts';
import { panelRoute, restaurantRoute, type PanelDeps, type RestaurantSession } from '../route.ts';

const OWNERS = ['owner'] as const;

export const teamRoutes = [
  restaurantRoute(teamApi.list, {
    handler: async (deps, { session }) => {
      const team = await listTeam(deps.db, session.restaurantId);
      return ok({ members: team.map(toMember) });
    },
  }),
  restaurantRoute(teamApi.invite, {
    roles: OWNERS,
    handler: async (deps, { session, body }) => {
      const { restaurantId, actor } = session;
      const invited = await inviteUser(deps, { ...body, restaurantId, actor });
      return invited.kind === 'refused' ? invited : toInviteAnswer(deps, invited, 201);
    },
  }),
  restaurantRoute(teamApi.inviteAgain, {
    roles: OWNERS,
    handler: async (deps, { session, params }) => {
      const invited = await inviteAgain(deps, { ...personIn(session), ...params });
      return invited.kind === 'refused' ? invited : toInviteAnswer(deps, invited, 200);
    },
  }),
  restaurantRoute(teamApi.change, {
    roles: OWNERS,
    sample: { body: { role: 'staff' } },
    handler: async (deps, { session, params, body }) => {
      const request = { ...personIn(session), ...params };
      const { role, isDisabled = false } = body;
      const result = await (role === undefined
        ? switchUser(deps, { ...request, isDisabled })
        : changeUserRole(deps, { ...request, role }));
      return result.kind === 'refused' ? result : ok(toMember(result.user));
    },
  }),
  restaurantRoute(teamApi.remove, {
    roles: OWNERS,
    handler: async (deps, { session, params }) => {
      const result = await removeUser(deps, { ...personIn(session), ...params });
      return result.kind === 'refused' ? result : done();
    },
  }),
  panelRoute(impersonationApi.begin, {
    roles: ['operator'],
    handler: async (deps, { session, body }) => {
      const result = await beginActing(deps, { ...session, ...body });
      return result.kind === 'refused' ? result : done();
    },
  }),
  restaurantRoute(impersonationApi.end, {
    handler: async (deps, { session }) => {
      if (session.impersonatedBy === null) return refused(refuse('PANEL_002', 'You are already signed in as yourself'));
      await endActing(deps, { ...session, actor: { ...session.actor, name: session.impersonatedBy } });
      return done();
    },
  }),
];

function personIn({ restaurantId, actor }: RestaurantSession) {
  return { scope: { restaurantId }, actor };
}

function toInviteAnswer(deps: PanelDeps, { user, invitation }: Invited, status: 200 | 201): Answer<InviteAnswer> {
  const answer: InviteAnswer = {
    member: toMember(user),
    invitationLink: deps.hasMailServer ? null : invitation.link,
    expiresAt: formatUtc(invitation.expiresAt),
  };
  return ok(answer, status);
}

function toMember(user: User): Member {
  const joined = user.hasPassword ? 'active' : 'invited';
  return {
    userId: user.id,
    email: user.email,
    name: user.name,
    role: user.role === 'owner' ? 'owner' : 'staff',
    state: user.disabledAt === null ? joined : 'disabled',
    hasTwoFactor: user.hasTwoFactor,
    createdAt: formatUtc(user.createdAt),
  };
}
