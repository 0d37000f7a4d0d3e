// A user's own account: password, second factor, links from mails, and the first operator of a new installation.
import { choosePassword } from '../../../actions/people/choose-password.ts';
import { noteAccountChange } from '../../../actions/people/note-account-change.ts';
import { hashLinkToken } from '../../../actions/people/user-access.ts';
import { requestPasswordReset } from '../../../actions/people/request-password-reset.ts';
import { setUpOperator } from '../../../actions/people/set-up-operator.ts';
import { accountApi } from '../../../contract/panel/people/account.ts';
import { signInApi } from '../../../contract/panel/people/sign-in.ts';
import { ROLES } from '../../../domain/people/roles.ts';
import { refuse, refused } from '../../../domain/refusals.ts';
import { findLinkOwner } from '../../../store/people/account-links.ts';
import { ok, type Answer } from '../../protocol/answer.ts';
import { done } from '../guard.ts';
import { openRoute, panelRoute, type PanelDeps, type PanelSession } from '../route.ts';
import { tooManyAttempts } from './too-many-attempts.ts';

const WRONG_PASSWORD = refuse('AUTH_021', 'Wrong password');

/** Someone who finds an open browser must not be able to try passwords in it forever. */
async function withOwnPassword<Content extends object>(
  deps: PanelDeps,
  call: { session: PanelSession },
  work: () => Promise<Answer<Content> | undefined>,
): Promise<Answer<Content>> {
  const guess = await deps.limits.beginInSession(call.session.sessionId);
  if (!guess.isAllowed) return refused(tooManyAttempts(guess.retryAfterSeconds));
  const answer = await work();
  if (answer === undefined) return refused(WRONG_PASSWORD);
  await guess.forgive();
  return answer;
}

const passwordRoutes = [
  panelRoute(accountApi.changePassword, {
    roles: ROLES,
    handler: (deps, call) =>
      withOwnPassword(deps, call, async () => {
        const result = await deps.accounts.changePassword(call.body, call.client);
        if (result.kind === 'refused') return undefined;
        await noteAccountChange(deps, {
          ...call.session,
          action: 'user.password_changed',
        });
        return done(result.cookies);
      }),
  }),
  openRoute(signInApi.requestReset, {
    handler: async (deps, { body }) => {
      // Not awaited: the response time must not reveal whether any user has this address.
      requestPasswordReset(deps, body).catch((error: unknown) =>
        deps.log.warn({ event: 'account.reset_not_sent', reason: String(error) }),
      );
      return done();
    },
  }),
  openRoute(signInApi.readLink, {
    handler: async (deps, { body }) => {
      const owner = await findLinkOwner(deps.db, hashLinkToken(deps.vault, body.token), deps.clock.now());
      return owner === undefined ? refused(refuse('AUTH_025')) : ok(owner);
    },
  }),
  openRoute(signInApi.choosePassword, {
    handler: async (deps, { body, client: { address } }) => {
      const chosen = await choosePassword(deps, { ...body, address });
      if (chosen.kind === 'refused') return chosen;
      // The link proves who they are: strangers who guess at the account must not lock them out now.
      const headers = { 'set-cookie': [deps.limits.deviceCookie(chosen.email)] };
      return { ...ok({ email: chosen.email }), headers };
    },
  }),
  openRoute(signInApi.setUp, {
    handler: async (deps, { body, client: { address } }) => {
      const result = await setUpOperator(deps, { ...body, address });
      if (result.kind === 'refused') return result;
      return ok({ email: result.email });
    },
  }),
];

const twoFactorRoutes = [
  panelRoute(accountApi.beginTwoFactor, {
    roles: ROLES,
    handler: (deps, call) => {
      if (call.session.hasTwoFactor) return refused(refuse('PANEL_002', 'The second factor is already on'));
      return withOwnPassword(deps, call, async () => {
        const secrets = await deps.accounts.beginTwoFactor(call.body.password, call.client);
        return secrets && ok(secrets);
      });
    },
  }),
  panelRoute(accountApi.confirmTwoFactor, {
    roles: ROLES,
    handler: async (deps, { session, body, client }) => {
      if (session.hasTwoFactor) return refused(refuse('PANEL_002', 'The second factor is already on'));
      const result = await deps.accounts.confirmTwoFactor(body.code, client);
      if (result.kind === 'refused') return refused(refuse('AUTH_022', 'The code is wrong or has expired'));
      await noteAccountChange(deps, { ...session, action: 'user.two_factor_enabled' });
      return done(result.cookies);
    },
  }),
  panelRoute(accountApi.endTwoFactor, {
    roles: ROLES,
    handler: (deps, call) =>
      withOwnPassword(deps, call, async () => {
        const result = await deps.accounts.endTwoFactor(call.body.password, call.client);
        if (result.kind === 'refused') return undefined;
        await noteAccountChange(deps, {
          ...call.session,
          action: 'user.two_factor_disabled',
        });
        return done(result.cookies);
      }),
  }),
  panelRoute(accountApi.renewBackupCodes, {
    roles: ROLES,
    handler: (deps, call) => {
      if (!call.session.hasTwoFactor) return refused(refuse('PANEL_002', 'Turn on the second factor first'));
      return withOwnPassword(deps, call, async () => {
        const backupCodes = await deps.accounts.renewBackupCodes(call.body.password, call.client);
        if (backupCodes === undefined) return undefined;
        await noteAccountChange(deps, {
          ...call.session,
          action: 'user.backup_codes_renewed',
        });
        return ok({ backupCodes });
      });
    },
  }),
];

export const accountRoutes = [...passwordRoutes, ...twoFactorRoutes];
