import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, signInAs, totpCode, type Browser, type Login } from '../../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../../harness/service/service.ts';
import { inviteUserAnswer, usersAnswer } from '../../../contract/panel/operator/users.ts';
import { listAuditEntries } from '../../../store/people/audit-log.ts';

let service: TestService;
let restaurant: TestRestaurant;
let operator: Browser & { login: Login };
beforeAll(async () => {
  service = await startService();
  restaurant = await service.addRestaurant({ name: 'Moda' });
  operator = await signInAs(service, 'operator');
});
afterAll(() => service.stop());

const base = '/api/operator/users';

async function search(query: Record<string, string>) {
  const { status, body } = await operator.get(`${base}?${new URLSearchParams(query).toString()}`);
  expect(status).toBe(200);
  return usersAnswer.parse(body);
}

async function findOne(email: string) {
  const { users } = await search({ q: email });
  expect(users).toHaveLength(1);
  return users[0];
}

async function listActions() {
  const entries = await listAuditEntries(service.app.db, null, 500);
  return entries.filter(({ actor }) => actor === operator.login.email).map(({ action }) => action);
}

test('operators, owners and couriers are invited, join by link and get the access of their role', async () => {
  const courierId = await service.addCourier('Bo');
  const invitations = [
    { role: 'operator', email: 'op2@example.com', name: 'Op' },
    { role: 'owner', email: 'owner@example.com', name: 'Ow', restaurantId: restaurant.id },
    { role: 'courier', email: 'bo@example.com', name: 'Bo', courierId },
  ];
  for (const invitation of invitations) {
    const { status, body } = await operator.send('POST', base, invitation);
    expect(status).toBe(201);
    const token = inviteUserAnswer.parse(body).invitationLink?.split('#')[1];
    expect(await findOne(invitation.email)).toMatchObject({ role: invitation.role, state: 'invited' });
    const browser = openBrowser(service.address);
    const password = 'a long enough password';
    expect((await browser.send('POST', '/api/account-link/password', { token, password })).status).toBe(200);
    expect((await browser.signIn({ email: invitation.email, password })).status).toBe(200);
    expect((await browser.get('/api/session')).body.session.role).toBe(invitation.role);
  }
  expect(await findOne('owner@example.com')).toMatchObject({ restaurantName: 'Moda', state: 'active', sessions: 1 });
  expect(await findOne('bo@example.com')).toMatchObject({ courierName: 'Bo' });
  expect((await search({ q: 'moda' })).users.map(({ email }) => email)).toContain('owner@example.com');
  expect((await search({ role: 'courier' })).users.map(({ email }) => email)).toEqual(['bo@example.com']);
  expect(await listActions()).toContain('user.invited');
});

test('an invitation to an address in use gets 409, to an invalid one 422', async () => {
  const taken = await operator.send('POST', base, { role: 'operator', email: operator.login.email });
  expect([taken.status, taken.body.code]).toEqual([409, 'USER_001']);
  const lost = [
    { role: 'owner', email: 'x@example.com', restaurantId: randomUUID() },
    { role: 'courier', email: 'x@example.com', courierId: randomUUID() },
    { role: 'owner', email: 'x@example.com' },
  ];
  for (const invitation of lost) expect((await operator.send('POST', base, invitation)).status).toBe(422);
  expect((await search({ q: 'x@example.com' })).users).toEqual([]);
});

test('an invitation can be sent again until it is accepted', async () => {
  await operator.send('POST', base, { role: 'operator', email: 'slow@example.com' });
  const userId = (await findOne('slow@example.com'))?.userId;
  expect((await operator.send('POST', `${base}/${userId}/invitation`)).status).toBe(200);
  const joined = await signInAs(service, 'staff', { restaurant });
  expect((await operator.send('POST', `${base}/${joined.login.userId}/invitation`)).status).toBe(409);
});

test('a disabled user is signed out and cannot sign in until enabled', async () => {
  const staff = await signInAs(service, 'staff', { restaurant });
  const url = `${base}/${staff.login.userId}`;
  expect((await operator.send('PATCH', url, { isDisabled: true })).status).toBe(200);
  expect((await staff.get('/api/orders')).status).toBe(401);
  expect((await staff.signIn(staff.login)).status).toBe(401);
  expect(await findOne(staff.login.email)).toMatchObject({ state: 'disabled', sessions: 0 });
  expect((await operator.send('PATCH', url, { isDisabled: false })).status).toBe(200);
  expect((await staff.signIn(staff.login)).status).toBe(200);
});

test('signing a user out everywhere ends their sessions and nothing else', async () => {
  const staff = await signInAs(service, 'staff', { restaurant });
  expect((await operator.send('POST', `${base}/${staff.login.userId}/sign-out`)).status).toBe(200);
  expect((await staff.get('/api/orders')).status).toBe(401);
  expect((await staff.signIn(staff.login)).status).toBe(200);
  expect(await listActions()).toContain('user.signed_out_everywhere');
});

test('resetting a lost second factor signs the user out, and the password alone is enough again', async () => {
  const owner = await signInAs(service, 'owner', { restaurant });
  const url = `${base}/${owner.login.userId}/two-factor/reset`;
  expect((await operator.send('POST', url)).status).toBe(409);
  const { body } = await owner.send('POST', '/api/session/two-factor', { password: owner.login.password });
  await owner.send('POST', '/api/session/two-factor/confirm', { code: totpCode(body.secret) });
  expect(await findOne(owner.login.email)).toMatchObject({ hasTwoFactor: true });
  expect((await operator.send('POST', url)).status).toBe(200);
  expect((await owner.get('/api/team')).status).toBe(401);
  expect((await openBrowser(service.address).signIn(owner.login)).body.next).toBe('done');
  expect((await listActions())[0]).toBe('user.two_factor_reset');
});

test('the last operator can be neither disabled nor removed, and any other operator can be removed', async () => {
  const { users } = await search({ role: 'operator' });
  for (const { userId, email } of users) {
    if (email === operator.login.email) continue;
    expect((await operator.send('DELETE', `${base}/${userId}`)).status).toBe(200);
  }
  const self = `${base}/${operator.login.userId}`;
  for (const refused of [
    await operator.send('PATCH', self, { isDisabled: true }),
    await operator.send('DELETE', self),
  ]) {
    expect([refused.status, refused.body.code]).toEqual([409, 'USER_003']);
    expect(refused.body.message).toContain('only operator');
  }
  expect((await operator.get(base)).status).toBe(200);
});

test('404: an unknown user id', async () => {
  const url = `${base}/${randomUUID()}`;
  for (const path of ['/invitation', '/two-factor/reset', '/sign-out']) {
    expect((await operator.send('POST', `${url}${path}`)).body.code).toBe('PANEL_001');
  }
  expect((await operator.send('PATCH', url, { isDisabled: true })).status).toBe(404);
  expect((await operator.send('DELETE', url)).status).toBe(404);
});

test('pages of users are sorted by address and continue after the last one', async () => {
  for (let n = 100; n < 155; n += 1) {
    await operator.send('POST', base, { role: 'operator', email: `page${n}@paging.example` });
  }
  const first = await search({ q: '@paging' });
  expect(first.users).toHaveLength(50);
  const second = await search({ q: '@paging', after: first.next ?? '' });
  expect(second.users.map(({ email }) => email)).toEqual(
    [150, 151, 152, 153, 154].map((n) => `page${n}@paging.example`),
  );
  expect(second.next).toBeNull();
});
