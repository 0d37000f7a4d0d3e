// Sign-in, sign-out and the second factor for the panel's routes, using the authentication library.
import type { Platform } from '../platform.ts';
import { failOnOutage, noteOutage, type AuthPool } from '../store/database/auth-pool.ts';
import { DatabaseUnavailable, type Queryable } from '../store/database/database.ts';
import { findSession, type SignedInUser } from '../store/people/sessions.ts';
import type { Vault } from '../secrets/vault.ts';
import { deriveAccountSecret } from './account-secret.ts';
import type { Auth } from './better-auth.ts';
import { readSessionToken, SESSION_RENEWAL_MS } from './session-cookie.ts';

/** `Set-Cookie` lines, to be passed on as they are. */
export type Cookies = string[];

/** What the library needs to know about a request. */
export interface Client {
  cookieHeader: string | undefined;
  address: string;
  userAgent: string | undefined;
  /** The last event that a page received before it lost its stream. */
  lastEventId: string | undefined;
  /** Waits without using up the request's deadline. */
  pauseFor<Result>(this: void, work: Promise<Result>): Promise<Result>;
}

export type SessionResult = { kind: 'signed-in'; cookies: Cookies } | { kind: 'refused' };
/** Whose second factor it was. */
export type SecondFactorResult = { kind: 'signed-in'; cookies: Cookies; email: string } | { kind: 'refused' };
export type FirstFactorResult = SessionResult | { kind: 'second-factor'; cookies: Cookies };
export interface TwoFactorSecrets {
  otpauthUri: string;
  secret: string;
  backupCodes: string[];
}

export interface Accounts {
  /** Undefined if nobody is signed in. */
  findSignedInUser(cookieHeader: string | undefined): Promise<SignedInUser | undefined>;
  /** Extends the session, at most once a day; returns the cookie with the new expiry. */
  renew(user: SignedInUser, client: Client): Promise<Cookies>;
  signIn(credentials: { email: string; password: string }, client: Client): Promise<FirstFactorResult>;
  passSecondFactor(code: string, client: Client): Promise<SecondFactorResult>;
  signOut(client: Client): Promise<Cookies>;
  /** Ends all other sessions of the user. */
  changePassword(change: { currentPassword: string; newPassword: string }, client: Client): Promise<SessionResult>;
  beginTwoFactor(password: string, client: Client): Promise<TwoFactorSecrets | undefined>;
  confirmTwoFactor(code: string, client: Client): Promise<SessionResult>;
  endTwoFactor(password: string, client: Client): Promise<SessionResult>;
  renewBackupCodes(password: string, client: Client): Promise<string[] | undefined>;
}

export type AccountsDeps = Pick<Platform, 'clock' | 'randomBytes' | 'newId'> & {
  db: Queryable;
  pool: AuthPool;
  vault: Pick<Vault, 'keyedHash'>;
};

type Api = Auth['api'];
/** Loaded on the first sign-in, which may take seconds: a node that only takes orders starts in half the time. */
type Library = (client: Pick<Client, 'pauseFor'>) => Promise<Api>;
const NO = { kind: 'refused' } as const;

export function createAccounts(deps: AccountsDeps): Accounts {
  const secret = deriveAccountSecret(deps.vault);
  let opened: Promise<Api> | undefined;
  const library: Library = ({ pauseFor }) => {
    opened ??= import('./better-auth.ts').then(
      ({ createAuth }) => createAuth({ ...deps, db: noteOutagesOf(deps.db), secret }).api,
    );
    return pauseFor(opened);
  };
  return { ...createSessions(deps, library, secret), ...createSignIns(library), ...createTwoFactor(library) };
}

function createSessions(
  deps: AccountsDeps,
  library: Library,
  secret: string,
): Pick<Accounts, 'findSignedInUser' | 'renew' | 'signOut'> {
  return {
    async findSignedInUser(cookieHeader) {
      const token = readSessionToken(cookieHeader, secret);
      return token === undefined ? undefined : findSession(deps.db, token, deps.clock.now());
    },
    async renew(user, client) {
      if (deps.clock.now() - user.renewedAt < SESSION_RENEWAL_MS) return [];
      try {
        const renewed = await ask(async () =>
          (await library(client)).getSession({ headers: headersOf(client), returnHeaders: true }),
        );
        return renewed === undefined ? [] : cookiesOf(renewed);
      } catch (error) {
        // The session is still good, and the next request extends it.
        if (error instanceof DatabaseUnavailable) return [];
        throw error;
      }
    },
    async signOut(client) {
      const given = await ask(async () =>
        (await library(client)).signOut({ headers: headersOf(client), returnHeaders: true }),
      );
      return given === undefined ? [] : cookiesOf(given);
    },
  };
}

function createSignIns(library: Library): Pick<Accounts, 'signIn' | 'passSecondFactor' | 'changePassword'> {
  return {
    async signIn(credentials, client) {
      // An existing session must not affect who signs in now.
      const headers = headersOf({ ...client, cookieHeader: undefined });
      const given = await ask(async () =>
        (await library(client)).signInEmail({ body: credentials, headers, returnHeaders: true }),
      );
      if (given === undefined) return NO;
      const isHalfWay = 'twoFactorRedirect' in given.response;
      return { kind: isHalfWay ? 'second-factor' : 'signed-in', cookies: cookiesOf(given) };
    },
    async passSecondFactor(code, client) {
      const headers = headersOf({ ...client, cookieHeader: withoutSession(client.cookieHeader) });
      const given = await ask(async () => verifySecondFactor(await library(client), code, headers));
      if (given === undefined) return NO;
      return { kind: 'signed-in', cookies: cookiesOf(given), email: given.response.user.email };
    },
    async changePassword(change, client) {
      const body = { ...change, revokeOtherSessions: true };
      const given = await ask(async () =>
        (await library(client)).changePassword({ body, headers: headersOf(client), returnHeaders: true }),
      );
      return given === undefined ? NO : { kind: 'signed-in', cookies: cookiesOf(given) };
    },
  };
}

function createTwoFactor(
  library: Library,
): Pick<Accounts, 'beginTwoFactor' | 'confirmTwoFactor' | 'endTwoFactor' | 'renewBackupCodes'> {
  return {
    async beginTwoFactor(password, client) {
      const given = await ask(async () =>
        (await library(client)).enableTwoFactor({ body: { password }, headers: headersOf(client) }),
      );
      if (given?.method !== 'totp') return undefined;
      const { totpURI: otpauthUri, backupCodes } = given;
      return { otpauthUri, backupCodes, secret: new URL(otpauthUri).searchParams.get('secret') ?? '' };
    },
    async confirmTwoFactor(code, client) {
      const headers = headersOf(client);
      const given = await ask(async () =>
        (await library(client)).verifyTOTP({ body: { code }, headers, returnHeaders: true }),
      );
      return given === undefined ? NO : { kind: 'signed-in', cookies: cookiesOf(given) };
    },
    async endTwoFactor(password, client) {
      const headers = headersOf(client);
      const given = await ask(async () =>
        (await library(client)).disableTwoFactor({ body: { password }, headers, returnHeaders: true }),
      );
      return given === undefined ? NO : { kind: 'signed-in', cookies: cookiesOf(given) };
    },
    async renewBackupCodes(password, client) {
      const given = await ask(async () =>
        (await library(client)).generateBackupCodes({ body: { password }, headers: headersOf(client) }),
      );
      return given?.backupCodes;
    },
  };
}

const BACKUP_CODE = /^[A-Za-z0-9]{5}-[A-Za-z0-9]{5}$/;

function verifySecondFactor(api: Api, code: string, headers: Headers) {
  const request = { body: { code }, headers, returnHeaders: true } as const;
  return BACKUP_CODE.test(code) ? api.verifyBackupCode(request) : api.verifyTOTP(request);
}

/** Undefined if the library refuses; other errors are thrown. */
async function ask<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await failOnOutage(work);
  } catch (error) {
    const { isAPIError } = await import('better-auth/api');
    if (isAPIError(error) && error.statusCode < 500) return undefined;
    throw error;
  }
}

function noteOutagesOf(db: Queryable): Queryable {
  return {
    query: (statement, values) =>
      db.query<never>(statement, values).catch((error: unknown) => {
        throw noteOutage(error);
      }),
  };
}

function headersOf(client: Client): Headers {
  const headers = new Headers({ 'x-forwarded-for': client.address });
  if (client.cookieHeader !== undefined) headers.set('cookie', client.cookieHeader);
  if (client.userAgent !== undefined) headers.set('user-agent', client.userAgent.slice(0, 300));
  return headers;
}

// Otherwise, during a sign-in, the library would treat the old session as the one to confirm.
function withoutSession(cookieHeader: string | undefined): string | undefined {
  return cookieHeader
    ?.split(';')
    .filter((part) => !part.trim().startsWith('__Host-waybill_session='))
    .join(';');
}

function cookiesOf(given: { headers: Headers }): Cookies {
  return given.headers.getSetCookie();
}
