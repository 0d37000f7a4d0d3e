import { expect, test } from 'vitest';
import { createPlatform } from '../platform.ts';
import { createVault } from '../vault.ts';
import { createSignInLimits, GUESSES_PER_ACCOUNT, GUESSES_PER_ADDRESS } from './sign-in-limits.ts';

const QUARTER_HOUR_MS = 900_000;

function createLimits() {
  const time = { nowMs: 0 };
  const { randomBytes } = createPlatform();
  const clock = { now: () => 0, monotonicMs: () => time.nowMs };
  const limits = createSignInLimits({ clock, randomBytes, vault: createVault(Buffer.alloc(32, 1), randomBytes) });
  const guess = (account: string, network = '192.0.2.1', cookieHeader?: string) =>
    limits.begin({ account, network, cookieHeader });
  return { time, limits, guess };
}

/** As the browser sends it back. */
function cookieOf(line: string): string {
  return line.split(';')[0] ?? '';
}

test('an account may be guessed at so often in a quarter of an hour, from however many addresses', () => {
  const { time, guess } = createLimits();
  const allowed = Array.from({ length: GUESSES_PER_ACCOUNT + 5 }, (_, n) => guess('a@x', `192.0.2.${n}`).isAllowed);
  expect(allowed.filter(Boolean)).toHaveLength(GUESSES_PER_ACCOUNT);
  expect(guess('b@x').isAllowed).toBe(true);
  time.nowMs = QUARTER_HOUR_MS;
  expect(guess('a@x').isAllowed).toBe(true);
});

test('an address may guess so often, at however many accounts', () => {
  const { guess } = createLimits();
  const allowed = Array.from({ length: GUESSES_PER_ADDRESS + 5 }, (_, n) => guess(`${n}@x`).isAllowed);
  expect(allowed.filter(Boolean)).toHaveLength(GUESSES_PER_ADDRESS);
  expect(guess('a@x', '192.0.2.2').isAllowed).toBe(true);
});

test('right passwords cost nothing', () => {
  const { guess } = createLimits();
  for (let n = 0; n < 100; n += 1) {
    const right = guess('a@x');
    expect(right.isAllowed).toBe(true);
    right.forgive();
  }
});

test('a browser that has signed in before gets in while strangers guess at its account, and may not guess for ever', () => {
  const { guess, limits } = createLimits();
  const cookie = cookieOf(limits.deviceCookie('a@x'));
  for (let n = 0; n < GUESSES_PER_ACCOUNT; n += 1) guess('a@x');
  expect(guess('a@x').isAllowed).toBe(false);
  expect(guess('a@x', '192.0.2.1', cookie).isAllowed).toBe(true);
  const more = Array.from({ length: GUESSES_PER_ACCOUNT + 5 }, () => guess('a@x', '192.0.2.1', cookie).isAllowed);
  expect(more.filter(Boolean)).toHaveLength(GUESSES_PER_ACCOUNT - 1);
});

test('the cookie of one account, or one that was altered, does not help with another', () => {
  const { guess, limits } = createLimits();
  const cookie = cookieOf(limits.deviceCookie('b@x'));
  for (let n = 0; n < GUESSES_PER_ACCOUNT; n += 1) guess('a@x');
  expect(guess('a@x').isAllowed).toBe(false);
  expect(guess('a@x', '192.0.2.9', cookie).isAllowed).toBe(false);
  expect(guess('b@x', '192.0.2.9', `${cookie}x`.replace('=', '=x')).isAllowed).toBe(true);
  expect(guess('a@x', '192.0.2.9', '__Host-waybill_device=a.b').isAllowed).toBe(false);
});
