import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/service/database.ts';
import { createPlatform } from '../platform.ts';
import { openDatabase, type Database } from '../store/database/database.ts';
import { deleteExpiredBudgets } from '../store/people/sign-in-budgets.ts';
import { createVault } from '../secrets/vault.ts';
import {
  createSignInLimits,
  GUESSES_PER_ACCOUNT,
  GUESSES_PER_ADDRESS,
  GUESSES_PER_PERSON,
  type Guess,
} from './sign-in-limits.ts';

let testDatabase: TestDatabase;
let db: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = openDatabase({ url: testDatabase.url, onIdleError: () => undefined });
});
afterEach(() => db.query('truncate sign_in_budgets'));
afterAll(async () => {
  await db.close();
  await testDatabase.drop();
});

/** Each process of each node creates its own. */
function createLimits() {
  const { randomBytes } = createPlatform();
  const limits = createSignInLimits({ db, randomBytes, vault: createVault(Buffer.alloc(32, 1), randomBytes) });
  const guess = (account: string, network = '192.0.2.1', cookieHeader?: string): Promise<Guess> =>
    limits.begin({ account, network, cookieHeader });
  const isAllowed = async (...attempt: Parameters<typeof guess>) => (await guess(...attempt)).isAllowed;
  return { limits, guess, isAllowed };
}

async function countAllowed(times: number, guess: (index: number) => Promise<boolean>): Promise<number> {
  let allowed = 0;
  for (let index = 0; index < times; index += 1) if (await guess(index)) allowed += 1;
  return allowed;
}

async function waitOf(guess: Promise<Guess>): Promise<number> {
  const made = await guess;
  return made.isAllowed ? 0 : made.retryAfterSeconds;
}

/** Windows follow the database's clock, so this moves the windows instead of the clock. */
async function pass(seconds: number): Promise<void> {
  await db.query('update sign_in_budgets set ends_at = ends_at - make_interval(secs => $1)', [seconds]);
}

/** The cookie as the browser sends it back. */
function cookieOf(line: string): string {
  return line.split(';')[0] ?? '';
}

test('guesses from one address are limited per account and cannot exhaust the account’s budget', async () => {
  const { isAllowed } = createLimits();
  expect(await countAllowed(GUESSES_PER_PERSON + 5, () => isAllowed('a@x'))).toBe(GUESSES_PER_PERSON);
  expect(await isAllowed('a@x', '192.0.2.2')).toBe(true);
  expect(await isAllowed('b@x')).toBe(true);
  await pass(900);
  expect(await isAllowed('a@x')).toBe(true);
});

test('guesses at one account are limited across all addresses', async () => {
  const { isAllowed } = createLimits();
  const guess = (index: number) => isAllowed('a@x', `192.0.2.${index}`);
  expect(await countAllowed(GUESSES_PER_ACCOUNT + 5, guess)).toBe(GUESSES_PER_ACCOUNT);
  expect(await isAllowed('b@x')).toBe(true);
});

test('guesses from one address are limited across all accounts', async () => {
  const { isAllowed } = createLimits();
  const guess = (index: number) => isAllowed(`${index}@x`);
  expect(await countAllowed(GUESSES_PER_ADDRESS + 5, guess)).toBe(GUESSES_PER_ADDRESS);
  expect(await isAllowed('a@x', '192.0.2.2')).toBe(true);
});

test('an attempt from a blocked address uses no account budget and adds no table row', async () => {
  const { isAllowed } = createLimits();
  await countAllowed(GUESSES_PER_ADDRESS, (index) => isAllowed(`${index}@x`));
  const count = async () => (await db.query<{ n: string }>('select count(*) as n from sign_in_budgets'))[0]?.n;
  const before = await count();
  expect(await countAllowed(100, (index) => isAllowed(index % 2 === 0 ? 'a@x' : `made-up-${index}@x`))).toBe(0);
  expect(await count()).toBe(before);
  const others = (index: number) => isAllowed('a@x', `198.51.100.${index}`);
  expect(await countAllowed(GUESSES_PER_ACCOUNT, others)).toBe(GUESSES_PER_ACCOUNT);
});

test('made-up accounts never evict a spent budget, and expired budgets are removed', async () => {
  const { isAllowed } = createLimits();
  await countAllowed(GUESSES_PER_PERSON, () => isAllowed('a@x'));
  await db.query(
    `insert into sign_in_budgets select int8send(n), 1, now() + interval '15 minutes' from generate_series(1, 30000) n`,
  );
  expect(await isAllowed('a@x')).toBe(false);
  await deleteExpiredBudgets(db);
  expect(await isAllowed('a@x')).toBe(false);
  await pass(900);
  await deleteExpiredBudgets(db);
  expect(await db.query('select from sign_in_budgets')).toEqual([]);
});

test('all nodes and processes share the budgets, even for concurrent attempts', async () => {
  const nodes = [createLimits(), createLimits(), createLimits()];
  const attempts = nodes.flatMap(({ isAllowed }) => Array.from({ length: 10 }, () => isAllowed('a@x')));
  expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(GUESSES_PER_PERSON);
});

test('a rejected attempt reports the exact remaining wait', async () => {
  const { isAllowed, guess } = createLimits();
  await countAllowed(GUESSES_PER_PERSON, () => isAllowed('a@x'));
  await pass(300);
  const wait = await waitOf(guess('a@x'));
  expect(wait).toBeGreaterThan(590);
  expect(wait).toBeLessThanOrEqual(600);
  await pass(wait - 2);
  expect(await waitOf(guess('a@x'))).toBeLessThanOrEqual(2);
  expect(await isAllowed('a@x')).toBe(false);
  await pass(2);
  expect(await isAllowed('a@x')).toBe(true);
});

test('when several budgets are spent, the wait is the longest of their renewals', async () => {
  const { isAllowed, guess } = createLimits();
  await countAllowed(GUESSES_PER_ADDRESS - GUESSES_PER_PERSON, (index) => isAllowed(`${index}@x`));
  await pass(600);
  await countAllowed(GUESSES_PER_PERSON, () => isAllowed('a@x'));
  const wait = await waitOf(guess('a@x'));
  expect(wait).toBeGreaterThan(890);
  // The address may try again, but the account may not yet.
  await pass(300);
  expect([await isAllowed('b@x'), await isAllowed('a@x')]).toEqual([true, false]);
  await pass(wait - 300);
  expect(await isAllowed('a@x')).toBe(true);
});

test('after the clock is set back, waiting one full window is still enough', async () => {
  const { isAllowed, guess } = createLimits();
  await countAllowed(GUESSES_PER_PERSON, () => isAllowed('a@x'));
  await pass(-86_400);
  expect(await waitOf(guess('a@x'))).toBe(900);
});

test('successful sign-ins use no budget', async () => {
  const { guess } = createLimits();
  for (let index = 0; index < GUESSES_PER_PERSON + 5; index += 1) {
    const right = await guess('a@x');
    expect(right.isAllowed).toBe(true);
    if (right.isAllowed) await right.forgive();
  }
});

test('a known browser can sign in while others guess, but its own guesses are limited too', async () => {
  const { isAllowed, limits } = createLimits();
  const cookie = cookieOf(limits.deviceCookie('a@x'));
  await countAllowed(GUESSES_PER_ADDRESS, (index) => isAllowed(index % 2 === 0 ? 'a@x' : `${index}@x`));
  expect(await isAllowed('a@x')).toBe(false);
  expect(await countAllowed(GUESSES_PER_PERSON + 5, () => isAllowed('a@x', '192.0.2.1', cookie))).toBe(
    GUESSES_PER_PERSON,
  );
});

test('a signed-in user has a separate budget that others cannot use up', async () => {
  const { isAllowed, limits } = createLimits();
  await countAllowed(GUESSES_PER_PERSON, () => isAllowed('a@x'));
  const inSession = async (id: string) => (await limits.beginInSession(id)).isAllowed;
  expect(await countAllowed(GUESSES_PER_PERSON + 5, () => inSession('s1'))).toBe(GUESSES_PER_PERSON);
  expect(await inSession('s2')).toBe(true);
});

test('a cookie that is altered or belongs to another account is ignored', async () => {
  const { isAllowed, limits } = createLimits();
  const cookie = cookieOf(limits.deviceCookie('b@x'));
  await countAllowed(GUESSES_PER_PERSON, () => isAllowed('a@x'));
  for (const header of [cookie, `${cookie}x`.replace('=', '=x'), '__Host-waybill_device=a.b']) {
    expect(await isAllowed('a@x', '192.0.2.1', header)).toBe(false);
  }
});
