// Slows down password guessing without locking out real users. An attempt from an unknown browser spends three budgets:
// for the address, for the account, and for both together, so that one address can never use up an account. A browser
// that has signed in before has a signed cookie and its own budget, which others cannot spend; so does a session. The
// counts are in the database, so that all nodes and their processes share them, and invented accounts cannot evict any.
import { timingSafeEqual } from 'node:crypto';
import { HOUR_MS } from '../domain/time.ts';
import type { Platform } from '../platform.ts';
import type { Queryable } from '../store/database/database.ts';
import { refundBudgets, spendBudgets, type Budget } from '../store/people/sign-in-budgets.ts';
import type { Vault } from '../secrets/vault.ts';
import { readCookie } from './session-cookie.ts';

// Each limit applies per 15 minutes.
/** From one address for one account, from one known browser, or within one session. */
export const GUESSES_PER_PERSON = 10;
/** From all unknown browsers together. */
export const GUESSES_PER_ACCOUNT = 50;
/** Many people may share an address. */
export const GUESSES_PER_ADDRESS = 60;

const DEVICE_COOKIE = '__Host-waybill_device';
const DEVICE_LIFETIME_S = (365 * 24 * HOUR_MS) / 1_000;

export type Guess =
  /** Counted when it begins, so that concurrent guesses are not free; `forgive` refunds it if it was right. */
  { isAllowed: true; forgive(): Promise<void> } | { isAllowed: false; retryAfterSeconds: number };

export interface SignInAttempt {
  /** The client's network, see `networkOf`. */
  network: string;
  account: string;
  cookieHeader: string | undefined;
}

export interface SignInLimits {
  begin(attempt: SignInAttempt): Promise<Guess>;
  /** For a signed-in user who has to enter the password again. */
  beginInSession(sessionId: string): Promise<Guess>;
  /** The cookie that identifies a browser that has signed in. */
  deviceCookie(account: string): string;
}

type Deps = Pick<Platform, 'randomBytes'> & { db: Queryable; vault: Pick<Vault, 'keyedHash'> };

export function createSignInLimits(deps: Deps): SignInLimits {
  const budget = (name: string, limit: number): Budget => ({ key: deps.vault.keyedHash(`budget ${name}`), limit });

  async function spend(budgets: readonly Budget[]): Promise<Guess> {
    const spending = await spendBudgets(deps.db, budgets);
    if (!spending.ok) return { isAllowed: false, retryAfterSeconds: spending.retryAfterSeconds };
    const keys = budgets.map(({ key }) => key);
    return { isAllowed: true, forgive: () => refundBudgets(deps.db, keys) };
  }

  return {
    begin({ network, account, cookieHeader }) {
      const device = readDevice(deps.vault, account, cookieHeader);
      if (device !== undefined) return spend([budget(`device ${device}`, GUESSES_PER_PERSON)]);
      return spend([
        budget(`address ${network}`, GUESSES_PER_ADDRESS),
        budget(`account ${account}`, GUESSES_PER_ACCOUNT),
        budget(`address ${network} account ${account}`, GUESSES_PER_PERSON),
      ]);
    },
    beginInSession: (sessionId) => spend([budget(`session ${sessionId}`, GUESSES_PER_PERSON)]),
    deviceCookie(account) {
      const nonce = deps.randomBytes(16).toString('base64url');
      const value = `${nonce}.${sign(deps.vault, account, nonce).toString('base64url')}`;
      return `${DEVICE_COOKIE}=${value}; Max-Age=${DEVICE_LIFETIME_S}; Path=/; HttpOnly; Secure; SameSite=Lax`;
    },
  };
}

function readDevice(vault: Deps['vault'], account: string, cookieHeader: string | undefined): string | undefined {
  const [nonce, signature] = readCookie(cookieHeader, DEVICE_COOKIE)?.split('.') ?? [];
  if (nonce === undefined || signature === undefined) return undefined;
  const expected = sign(vault, account, nonce);
  const given = Buffer.from(signature, 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected) ? nonce : undefined;
}

function sign(vault: Deps['vault'], account: string, nonce: string): Buffer {
  return vault.keyedHash(`known device ${nonce} ${account}`);
}
