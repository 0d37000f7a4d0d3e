// Slows the guessing of passwords down, by address and by account, without locking an honest person out: a browser that
// has signed in before carries a signed cookie for its account, and has a budget of its own that strangers cannot spend.
// Each node counts for itself, in memory: what is lost with a restart is a quarter of an hour of counting.
import { timingSafeEqual } from 'node:crypto';
import { HOUR_MS, MINUTE_MS } from '../domain/time.ts';
import type { Platform } from '../platform.ts';
import type { Vault } from '../vault.ts';
import { readCookie } from './session-cookie.ts';

const WINDOW_MS = 15 * MINUTE_MS;
/** By strangers, or by one known browser. */
export const GUESSES_PER_ACCOUNT = 10;
/** Many people may sit behind one address. */
export const GUESSES_PER_ADDRESS = 60;
const MOST_WINDOWS = 20_000;

const DEVICE_COOKIE = '__Host-waybill_device';
const DEVICE_LIFETIME_S = (365 * 24 * HOUR_MS) / 1_000;

export interface Guess {
  /** Spent when the guess begins, so that many at once are not free. */
  isAllowed: boolean;
  /** It was right: gives back what it cost. */
  forgive(): void;
}

export interface SignInLimits {
  begin(attempt: { network: string; account: string; cookieHeader: string | undefined }): Guess;
  /** The cookie by which a browser that signed in is known again. */
  deviceCookie(account: string): string;
}

type Deps = Pick<Platform, 'clock' | 'randomBytes'> & { vault: Pick<Vault, 'keyedHash'> };

export function createSignInLimits(deps: Deps): SignInLimits {
  const windows = new Map<string, { startedMs: number; used: number }>();

  function spend(key: string, most: number): boolean {
    const nowMs = deps.clock.monotonicMs();
    const window = windows.get(key);
    if (window !== undefined && nowMs - window.startedMs < WINDOW_MS) {
      window.used += 1;
      return window.used <= most;
    }
    windows.delete(key);
    const [oldest] = windows.keys();
    if (windows.size >= MOST_WINDOWS && oldest !== undefined) windows.delete(oldest);
    windows.set(key, { startedMs: nowMs, used: 1 });
    return true;
  }

  function giveBack(key: string): void {
    const window = windows.get(key);
    if (window !== undefined && window.used > 0) window.used -= 1;
  }

  return {
    begin({ network, account, cookieHeader }) {
      const device = readDevice(deps.vault, account, cookieHeader);
      const budgets: [key: string, most: number][] =
        device === undefined
          ? [
              [`address ${network}`, GUESSES_PER_ADDRESS],
              [`account ${account}`, GUESSES_PER_ACCOUNT],
            ]
          : [[`device ${device}`, GUESSES_PER_ACCOUNT]];
      const allowed = budgets.map(([key, most]) => spend(key, most));
      return {
        isAllowed: allowed.every(Boolean),
        forgive: () => budgets.forEach(([key]) => giveBack(key)),
      };
    },
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
