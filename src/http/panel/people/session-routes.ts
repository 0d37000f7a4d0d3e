// The current session, signing in and signing out.
import { signOutEverywhere } from '../../../actions/people/sign-out-everywhere.ts';
import { sessionApi, type SessionAnswer, type SessionView } from '../../../contract/panel/people/session.ts';
import { signInApi, type SignInAnswer } from '../../../contract/panel/people/sign-in.ts';
import { accountApi } from '../../../contract/panel/people/account.ts';
import { ROLES } from '../../../domain/people/roles.ts';
import { refuse, refused } from '../../../domain/refusals.ts';
import { hasOperator } from '../../../store/people/users.ts';
import { ok, type Answer } from '../../protocol/answer.ts';
import { networkOf } from '../../protocol/client-address.ts';
import { done } from '../guard.ts';
import { tooManyAttempts } from './too-many-attempts.ts';
import { openRoute, panelRoute, type PanelSession } from '../route.ts';

export const sessionRoutes = [
  openRoute(sessionApi.read, {
    handler: async (deps, { session }) => {
      const answer: SessionAnswer = {
        session: session === null ? null : toView(session),
        environment: deps.environment,
        needsSetUp: session === null && !(await hasOperator(deps.db)),
      };
      return ok(answer);
    },
  }),
  openRoute(signInApi.signIn, {
    handler: async (deps, { body, client }) => {
      const account = body.email.toLowerCase();
      const { cookieHeader } = client;
      const guess = await deps.limits.begin({ network: networkOf(client.address), account, cookieHeader });
      if (!guess.isAllowed) return refused(tooManyAttempts(guess.retryAfterSeconds, ', or reset your password'));
      const step = await deps.accounts.signIn({ email: account, password: body.password }, client);
      if (step.kind === 'refused') return refused(refuse('AUTH_021'));
      await guess.forgive();
      const isDone = step.kind === 'signed-in';
      const cookies = isDone ? [...step.cookies, deps.limits.deviceCookie(account)] : step.cookies;
      return withCookies({ next: isDone ? 'done' : 'second-factor' }, cookies);
    },
  }),
  openRoute(signInApi.passSecondFactor, {
    handler: async (deps, { body, client }) => {
      const result = await deps.accounts.passSecondFactor(body.code, client);
      if (result.kind === 'refused') return refused(refuse('AUTH_022', 'The code is wrong or has expired'));
      const cookies = [...result.cookies, deps.limits.deviceCookie(result.email)];
      return withCookies({ next: 'done' }, cookies);
    },
  }),
  panelRoute(sessionApi.signOut, {
    roles: ROLES,
    handler: async (deps, { client }) => done(await deps.accounts.signOut(client)),
  }),
  panelRoute(accountApi.signOutEverywhere, {
    roles: ROLES,
    handler: async (deps, { session, client }) => {
      // The library's answer clears the cookie; `signOutEverywhere` deletes the sessions and audits it.
      const cookies = await deps.accounts.signOut(client);
      await signOutEverywhere(deps, { ...session, scope: 'everything' });
      return done(cookies);
    },
  }),
];

function toView(session: PanelSession): SessionView {
  const { restaurantId: id, restaurant } = session;
  return {
    userId: session.userId,
    email: session.email,
    name: session.name,
    role: session.role,
    restaurant: id === null || restaurant === null ? null : { id, ...restaurant },
    courierId: session.courierId,
    hasTwoFactor: session.hasTwoFactor,
    impersonatedBy: session.impersonatedBy,
  };
}

function withCookies(content: SignInAnswer, cookies: string[]): Answer<SignInAnswer> {
  return { ...ok(content), headers: { 'set-cookie': cookies } };
}
