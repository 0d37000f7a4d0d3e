// Slows down password guessing without locking honest people out. An attempt by a stranger is paid for by three budgets:
// one for the address, one for the account, and one for the two together, so that one address can never use up an
// account. A browser that has signed in before carries a signed cookie and has a budget of its own, which strangers
// cannot spend; so has a session. The counts are in the database: all nodes and their processes share them, and no number
// of made-up accounts pushes one out.
import { timingSafeEqual } from 'node:crypto';
import { HOUR_MS } from '../domain/time.ts';
import type { Platform } from '../platform.ts';
import type { Queryable } from '../store/database/database.ts';
import { refundBudgets, spendBudgets, type Budget } from '../store/people/sign-in-budgets.ts';
import type { Vault } from '../secrets/vault.ts';
import { readCookie } from './session-cookie.ts';

// In 15 minutes each.
/** By one address at one account, by one known browser, or within one session. */
export const GUESSES_PER_PERSON = 10;
/** By all strangers together. */
export const GUESSES_PER_ACCOUNT = 50;
/** Many people may share an address. */
export const GUESSES_PER_ADDRESS = 60;

const DEVICE_COOKIE = '__Host-waybill_device';
const DEVICE_LIFETIME_S = (365 * 24 * HOUR_MS) / 1_000;

export type Guess =
  /** Paid for when it begins, so that many at once are not free; `forgive` gives that back if it was right. */
  { isAllowed: true; forgive(): Promise<void> } | { isAllowed: false; retryAfterSeconds: number };

export interface SignInAttempt {
  /** The client's, see `networkOf`. */
  network: string;
  account: string;
  cookieHeader: string | undefined;
}

export interface SignInLimits {
  begin(attempt: SignInAttempt): Promise<Guess>;
  /** For a person who is signed in and has to give the password again. */
  beginInSession(sessionId: string): Promise<Guess>;
  /** The cookie by which a browser that signed in is recognized. */
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
