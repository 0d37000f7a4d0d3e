// The authentication library, configured for our tables, cookies and password hashing. Its own HTTP interface is not
// reachable; only the panel's routes call it.
import { betterAuth } from 'better-auth';
import { twoFactor } from 'better-auth/plugins/two-factor';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../domain/people/roles.ts';
import { MINUTE_MS } from '../domain/time.ts';
import { hashPassword, verifyPassword } from '../secrets/passwords.ts';
import type { Platform } from '../platform.ts';
import type { AuthPool } from '../store/database/auth-pool.ts';
import type { Queryable } from '../store/database/database.ts';
import { findUser } from '../store/people/users.ts';
import { SESSION_COOKIE, SESSION_LIFETIME_MS, SESSION_RENEWAL_MS } from './session-cookie.ts';

const SECOND_FACTOR_COOKIE = '__Host-waybill_second_factor';
const SECOND_FACTOR_PATIENCE_MS = 10 * MINUTE_MS;

const times = { createdAt: 'created_at', updatedAt: 'updated_at' };

const MODELS = {
  user: { modelName: 'users', fields: times },
  account: {
    modelName: 'user_passwords',
    fields: {
      ...times,
      userId: 'user_id',
      accountId: 'account_id',
      providerId: 'provider_id',
      password: 'password_hash',
    },
  },
  session: {
    modelName: 'sessions',
    fields: {
      ...times,
      userId: 'user_id',
      expiresAt: 'expires_at',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
    },
    expiresIn: SESSION_LIFETIME_MS / 1_000,
    updateAge: SESSION_RENEWAL_MS / 1_000,
  },
  verification: {
    modelName: 'verifications',
    fields: { ...times, expiresAt: 'expires_at' },
    storeIdentifier: 'hashed',
  },
} as const;

export type AuthDeps = Pick<Platform, 'randomBytes' | 'newId'> & { db: Queryable; pool: AuthPool; secret: string };

export type Auth = ReturnType<typeof createAuth>;

export function createAuth(deps: AuthDeps) {
  return betterAuth({
    appName: 'Waybill',
    // Only read for its own HTTP interface and for redirects, neither of which is used.
    baseURL: 'http://localhost',
    secret: deps.secret,
    database: deps.pool,
    logger: { disabled: true },
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    advanced: {
      // Our tables omit columns that only other sign-in methods use; the tests show that none is missing.
      database: { generateId: () => deps.newId(), validateSchema: false },
      // Store the whole address. By default the library stores the /64 of an IPv6 client.
      ipAddress: { ipv6Subnet: 128 },
      // The cookie names always have our own prefix, so the library must not add one.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: true, httpOnly: true, sameSite: 'lax', path: '/' },
      cookiePrefix: '__Host-waybill',
      cookies: { session_token: { name: SESSION_COOKIE }, two_factor: { name: SECOND_FACTOR_COOKIE } },
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD_LENGTH,
      maxPasswordLength: MAX_PASSWORD_LENGTH,
      password: {
        hash: (password) => hashPassword(password, deps.randomBytes),
        verify: ({ password, hash }) => verifyPassword(password, hash),
      },
    },
    ...MODELS,
    plugins: [
      twoFactor({
        issuer: 'Waybill',
        twoFactorCookieMaxAge: SECOND_FACTOR_PATIENCE_MS / 1_000,
        schema: {
          user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
          twoFactor: {
            modelName: 'two_factors',
            fields: {
              userId: 'user_id',
              backupCodes: 'backup_codes',
              failedVerificationCount: 'failed_verification_count',
              lockedUntil: 'locked_until',
            },
          },
        },
      }),
    ],
    databaseHooks: {
      session: {
        create: {
          // Runs after the password check, so the response and timing for a disabled user match a wrong password.
          before: async ({ userId }) => {
            const user = await findUser(deps.db, userId);
            return user !== undefined && user.disabledAt === null;
          },
        },
      },
    },
  });
}
