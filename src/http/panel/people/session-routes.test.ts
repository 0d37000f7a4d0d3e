import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLogin, openBrowser, signInAs, totpCode } from '../../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../../harness/service/service.ts';

let service: TestService;
let restaurant: TestRestaurant;
beforeAll(async () => {
  service = await startService();
  restaurant = await service.addRestaurant({ name: 'Moda' });
});
afterAll(() => service.stop());

test('signing in sets a cookie that scripts and other sites cannot use, and the session is recognized', async () => {
  const login = await addLogin(service, 'owner', { restaurant });
  const browser = openBrowser(service.address);
  const before = await browser.get('/api/session');
  expect(before.body).toMatchObject({ session: null, environment: 'live' });
  const signedIn = await browser.signIn({ ...login, email: login.email.toUpperCase() });
  expect(signedIn.body).toEqual({ next: 'done' });
  const line = signedIn.headers.getSetCookie().find((cookie) => cookie.startsWith('__Host-waybill_session='));
  expect(line).toMatch(/Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/i);
  const { body } = await browser.get('/api/session');
  expect(body.session).toMatchObject({
    email: login.email,
    role: 'owner',
    restaurant: { id: restaurant.id, name: 'Moda', timeZone: 'Europe/Istanbul' },
    impersonatedBy: null,
  });
});

test('an unknown address and a wrong password get the same answer', async () => {
  const login = await addLogin(service, 'owner', { restaurant });
  const browser = openBrowser(service.address);
  const wrong = await browser.signIn({ ...login, password: 'not this one' });
  const unknown = await browser.signIn({ email: 'nobody@example.com', password: 'not this one' });
  expect(wrong.status).toBe(401);
  expect({ ...wrong.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
  expect(wrong.body.code).toBe('AUTH_021');
  expect(wrong.headers.get('www-authenticate')).toBeNull();
});

test('signing out invalidates the session, even for a client that kept the cookie', async () => {
  const browser = await signInAs(service, 'staff', { restaurant });
  const stolen = browser.cookieHeader();
  expect((await browser.send('DELETE', '/api/session')).status).toBe(200);
  expect(browser.cookies.has('__Host-waybill_session')).toBe(false);
  const answer = await fetch(`${service.address}/api/team`, { headers: { cookie: stolen } });
  expect(answer.status).toBe(401);
});

test('signing out everywhere ends every session of that user and no other', async () => {
  const first = await signInAs(service, 'staff', { restaurant });
  const second = openBrowser(service.address);
  await second.signIn(first.login);
  const other = await signInAs(service, 'staff', { restaurant });
  expect((await second.get('/api/team')).status).toBe(200);
  await first.send('POST', '/api/session/everywhere');
  expect((await second.get('/api/team')).status).toBe(401);
  expect((await other.get('/api/team')).status).toBe(200);
});

test('without Sec-Fetch-Site the Origin decides, and only our own is accepted', async () => {
  const login = await addLogin(service, 'owner', { restaurant });
  const signInFrom = async (headers: Record<string, string>) => {
    const answer = await fetch(`${service.address}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ email: login.email, password: login.password }),
    });
    return answer.status;
  };
  expect(await signInFrom({ origin: service.address })).toBe(200);
  for (const origin of ['https://evil.example', 'null', `${service.address}.evil.example`]) {
    expect([origin, await signInFrom({ origin })]).toEqual([origin, 403]);
  }
  expect(await signInFrom({})).toBe(403);
});

describe('the second factor', () => {
  test('is required once confirmed; codes and backup codes pass it, each backup code once', async () => {
    const browser = await signInAs(service, 'owner', { restaurant });
    const { login } = browser;
    const wrong = await browser.send('POST', '/api/session/two-factor', { password: 'wrong' });
    expect(wrong.body.code).toBe('AUTH_021');
    const begun = await browser.send('POST', '/api/session/two-factor', { password: login.password });
    expect(begun.body.otpauthUri).toMatch(/^otpauth:\/\/totp\/Waybill/);
    expect(begun.body.backupCodes).toHaveLength(10);
    const code = () => totpCode(begun.body.secret);
    expect((await browser.send('POST', '/api/session/two-factor/confirm', { code: '000000' })).body.code).toBe(
      'AUTH_022',
    );
    expect((await browser.send('POST', '/api/session/two-factor/confirm', { code: code() })).status).toBe(200);
    expect((await browser.get('/api/session')).body.session.hasTwoFactor).toBe(true);

    const other = openBrowser(service.address);
    expect((await other.signIn(login)).body).toEqual({ next: 'second-factor' });
    expect((await other.get('/api/session')).body.session).toBeNull();
    expect((await other.send('POST', '/api/session/second-factor', { code: '000000' })).body.code).toBe('AUTH_022');
    expect((await other.send('POST', '/api/session/second-factor', { code: code() })).status).toBe(200);
    expect((await other.get('/api/session')).body.session.email).toBe(login.email);

    const [backupCode] = begun.body.backupCodes;
    for (const status of [200, 401]) {
      const third = openBrowser(service.address);
      await third.signIn(login);
      expect((await third.send('POST', '/api/session/second-factor', { code: backupCode })).status).toBe(status);
    }
    const off = await other.send('POST', '/api/session/two-factor/disable', { password: login.password });
    expect(off.status).toBe(200);
    expect((await openBrowser(service.address).signIn(login)).body).toEqual({ next: 'done' });
  });
});
