import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLogin, openBrowser, signInAs, totpCode, type Login } from '../../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../../harness/service/service.ts';
import { createSimulatedClock, type SimulatedClock } from '../../../../harness/clocks/simulated.ts';
import { setUpCode } from '../../../actions/people/set-up-operator.ts';
import { createPlatform } from '../../../platform.ts';
import { SEALED_IN } from '../../../secrets/vault.ts';

const HOUR = 3_600_000;
const NEW_PASSWORD = 'something else entirely';

let service: TestService;
let clock: SimulatedClock;
let restaurant: TestRestaurant;
beforeAll(async () => {
  clock = createSimulatedClock(new Date().toISOString());
  service = await startService({ platform: createPlatform(undefined, clock) });
  restaurant = await service.addRestaurant();
});
afterAll(() => service.stop());

async function readMails(to: string): Promise<string[]> {
  const rows = await service.app.db.query<{ id: string; sealedBody: Buffer }>(
    'select id, sealed_body from mail_outbox where to_address = $1 order by created_at, id',
    [to],
  );
  return rows.map((row) => service.app.vault.open(row.sealedBody, SEALED_IN.mailBody(row.id)));
}

function tokenIn(mail: string | undefined): string {
  return /\/new-password#(\S+)/.exec(mail ?? '')?.[1] ?? 'no link';
}

async function requestReset(login: Login): Promise<string> {
  const before = (await readMails(login.email)).length;
  const asked = await openBrowser(service.address).send('POST', '/api/password-reset', { email: login.email });
  expect(asked.body).toEqual({});
  await expect.poll(async () => (await readMails(login.email)).length).toBe(before + 1);
  return tokenIn((await readMails(login.email)).at(-1));
}

test('a new installation is set up once, and only with the setup code', async () => {
  const browser = openBrowser(service.address);
  expect((await browser.get('/api/session')).body.needsSetUp).toBe(true);
  const operator = { email: 'First@Example.com', name: 'Ada', password: NEW_PASSWORD };
  const guessed = await browser.send('POST', '/api/set-up', { ...operator, code: '00000-00000-00000-00000' });
  expect(guessed.body.code).toBe('SETUP_002');
  const code = setUpCode(service.app.vault).toUpperCase();
  const answers = await Promise.all(
    [operator.email, 'second@example.com'].map((email) =>
      browser.send('POST', '/api/set-up', { ...operator, email, code }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect((await browser.get('/api/session')).body.needsSetUp).toBe(false);
  expect((await browser.send('POST', '/api/set-up', { ...operator, code })).status).toBe(409);
  const winner = answers.find(({ status }) => status === 200)?.body.email;
  expect((await browser.signIn({ email: winner, password: NEW_PASSWORD })).body.next).toBe('done');
});

test('a forgotten password is replaced through a single-use link, and all sessions are signed out', async () => {
  const browser = await signInAs(service, 'owner', { restaurant });
  const token = await requestReset(browser.login);
  const client = openBrowser(service.address);
  const owner = await client.send('POST', '/api/account-link', { token });
  expect(owner.body).toMatchObject({ purpose: 'reset', email: browser.login.email, restaurantName: 'Testaurant' });
  const [first, second] = await Promise.all(
    [1, 2].map(() => client.send('POST', '/api/account-link/password', { token, password: NEW_PASSWORD })),
  );
  expect([first?.status, second?.status].sort()).toEqual([200, 403]);
  expect((await browser.get('/api/team')).status).toBe(401);
  expect((await client.signIn(browser.login)).status).toBe(401);
  expect((await client.signIn({ ...browser.login, password: NEW_PASSWORD })).status).toBe(200);
});

test('only a hash of the link’s secret is stored with the account', async () => {
  const login = await addLogin(service, 'staff', { restaurant });
  const token = await requestReset(login);
  const rows = await service.app.db.query('select * from account_links');
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(token);
  expect(Buffer.concat(rows.flatMap((row) => Object.values(row).filter(Buffer.isBuffer))).includes(token)).toBe(false);
});

test('a reset link expires after an hour, and the number of reset mails per address is limited', async () => {
  const login = await addLogin(service, 'staff', { restaurant });
  const token = await requestReset(login);
  clock.moveBy(HOUR + 1);
  const client = openBrowser(service.address);
  expect((await client.send('POST', '/api/account-link', { token })).body.code).toBe('AUTH_025');
  const late = await client.send('POST', '/api/account-link/password', { token, password: NEW_PASSWORD });
  expect(late.body.code).toBe('AUTH_025');
  for (let times = 0; times < 3; times += 1) await requestReset(login);
  await client.send('POST', '/api/password-reset', { email: login.email });
  // A later mail to a second address shows that the fourth request has been processed.
  await requestReset(await addLogin(service, 'staff', { restaurant }));
  expect(await readMails(login.email)).toHaveLength(4);
});

test('an unknown address gets the same answer and no mail', async () => {
  const asked = await openBrowser(service.address).send('POST', '/api/password-reset', { email: 'nobody@example.com' });
  expect([asked.status, asked.body]).toEqual([200, {}]);
  await requestReset(await addLogin(service, 'staff', { restaurant }));
  expect(await readMails('nobody@example.com')).toEqual([]);
});

test('changing a password requires the old one and ends the other sessions', async () => {
  const browser = await signInAs(service, 'courier', { courier: await service.addCourier('Bo') });
  const other = openBrowser(service.address);
  await other.signIn(browser.login);
  const change = (currentPassword: string, newPassword: string) =>
    browser.send('POST', '/api/session/password', { currentPassword, newPassword });
  expect((await change('wrong', NEW_PASSWORD)).body.code).toBe('AUTH_021');
  const short = await change(browser.login.password, 'short');
  expect(short.body.details).toEqual([{ field: 'newPassword', message: 'Use at least 10 characters' }]);
  expect((await change(browser.login.password, NEW_PASSWORD)).status).toBe(200);
  expect((await browser.get('/api/session')).body.session.email).toBe(browser.login.email);
  expect((await other.get('/api/session')).body.session).toBeNull();
});

test('a session in use is extended by thirty days once a day; an unused one ends', async () => {
  const used = await signInAs(service, 'owner', { restaurant });
  const idle = await signInAs(service, 'owner', { restaurant });
  const cookieLine = async () => (await used.get('/api/team')).headers.getSetCookie().join();
  expect(await cookieLine()).toBe('');
  // The library uses real time, so its session is backdated instead of advancing the clock.
  const age = (email: string, days: number) =>
    service.app.db.query(
      `update sessions set expires_at = expires_at - make_interval(days => $2), updated_at = updated_at - make_interval(days => $2)
       where user_id = (select id from users where email = $1)`,
      [email, days],
    );
  await age(used.login.email, 2);
  expect(await cookieLine()).toMatch(/__Host-waybill_session=.*Max-Age=2592000/);
  expect(await cookieLine()).toBe('');
  await age(idle.login.email, 31);
  expect((await idle.get('/api/team')).status).toBe(401);
});

test('guessing ends with 429, and a browser that signed in before still gets in', async () => {
  const login = await addLogin(service, 'owner', { restaurant });
  const known = openBrowser(service.address);
  await known.signIn(login);
  const guesser = openBrowser(service.address);
  const statuses: number[] = [];
  for (let guesses = 0; guesses < 12; guesses += 1) {
    statuses.push((await guesser.signIn({ ...login, password: `guess ${guesses}` })).status);
  }
  expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
  const refused = await guesser.signIn(login);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(600);
  expect(refused.body.message).toMatch(/^Too many attempts\. Try again in 1\d minutes, or reset your password$/);
  expect((await known.signIn(login)).status).toBe(200);
  // A signed-in user can still change the password, even in a browser that lost its other cookies.
  known.cookies.delete('__Host-waybill_device');
  const change = { currentPassword: login.password, newPassword: NEW_PASSWORD };
  expect((await known.send('POST', '/api/session/password', change)).status).toBe(200);
});

test('guessing cannot lock out a user with a second factor or one who just reset the password', async () => {
  const browser = await signInAs(service, 'owner', { restaurant });
  const { login } = browser;
  const begun = await browser.send('POST', '/api/session/two-factor', { password: login.password });
  const confirm = { code: totpCode(begun.body.secret) };
  expect((await browser.send('POST', '/api/session/two-factor/confirm', confirm)).status).toBe(200);
  const known = openBrowser(service.address);
  await known.signIn(login);
  await known.send('POST', '/api/session/second-factor', { code: begun.body.backupCodes[0] });
  expect(known.cookies.has('__Host-waybill_device')).toBe(true);

  const guesser = openBrowser(service.address);
  for (let guesses = 0; guesses < 10; guesses += 1) await guesser.signIn({ ...login, password: `guess ${guesses}` });
  expect((await openBrowser(service.address).signIn(login)).status).toBe(429);
  expect((await known.signIn(login)).body).toEqual({ next: 'second-factor' });

  const fresh = openBrowser(service.address);
  const token = await requestReset(login);
  const password = NEW_PASSWORD;
  expect((await fresh.send('POST', '/api/account-link/password', { token, password })).status).toBe(200);
  expect((await fresh.signIn({ email: login.email, password })).body).toEqual({ next: 'second-factor' });
});
