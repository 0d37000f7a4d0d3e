import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, signInAs, type Browser } from '../../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../../harness/service/service.ts';
import { listAuditEntries } from '../../../store/people/audit-log.ts';
import { SEALED_IN } from '../../../secrets/vault.ts';

let service: TestService;
let restaurant: TestRestaurant;
let owner: Browser & { login: { email: string; userId: string } };
beforeAll(async () => {
  service = await startService();
  restaurant = await service.addRestaurant({ name: 'Moda' });
  owner = await signInAs(service, 'owner', { restaurant });
});
afterAll(() => service.stop());

const PASSWORD = 'a long enough password';

async function listActions(actor: string): Promise<string[]> {
  const entries = await listAuditEntries(service.app.db, restaurant.id, 500);
  return entries.filter((entry) => entry.actor === actor).map(({ action }) => action);
}

async function invite(email: string, role = 'staff') {
  const { status, body } = await owner.send('POST', '/api/team', { email, name: 'Bo', role });
  expect(status).toBe(201);
  return { userId: String(body.member.userId), token: String(body.invitationLink).split('#')[1] ?? '' };
}

async function join(token: string): Promise<Browser> {
  const browser = openBrowser(service.address);
  const chosen = await browser.send('POST', '/api/account-link/password', { token, password: PASSWORD, name: 'Bo B' });
  await browser.signIn({ email: chosen.body.email, password: PASSWORD });
  return browser;
}

test('an owner invites a user, who chooses a password and works for that restaurant', async () => {
  const { token } = await invite('bo@example.com');
  const team = await owner.get('/api/team');
  expect(team.body.members).toContainEqual(expect.objectContaining({ email: 'bo@example.com', state: 'invited' }));
  const [mail] = await service.app.db.query<{ id: string; subject: string; sealedBody: Buffer }>(
    `select id, subject, sealed_body from mail_outbox where to_address = 'bo@example.com'`,
  );
  expect(mail?.subject).toContain('Moda');
  expect(mail && service.app.vault.open(mail.sealedBody, SEALED_IN.mailBody(mail.id))).toContain(
    `/invitation#${token}`,
  );
  const bo = await join(token);
  const { session } = (await bo.get('/api/session')).body;
  expect(session).toMatchObject({ name: 'Bo B', role: 'staff', restaurant: { id: restaurant.id } });
  expect((await owner.send('POST', '/api/team', { email: 'BO@example.com', role: 'staff' })).status).toBe(409);
  expect(await listActions(owner.login.email)).toContain('user.invited');
  expect(await listActions('bo@example.com')).toContain('user.joined');
});

test('an invitation can be sent again until it is accepted', async () => {
  const { userId } = await invite('again@example.com');
  const again = await owner.send('POST', `/api/team/${userId}/invitation`);
  expect(again.status).toBe(200);
  await join(String(again.body.invitationLink).split('#')[1] ?? '');
  expect((await owner.send('POST', `/api/team/${userId}/invitation`)).body.code).toBe('USER_004');
});

test('a disabled user is signed out at once, cannot sign in, and can be enabled again', async () => {
  const { userId, token } = await invite('cy@example.com');
  const cy = await join(token);
  await owner.send('PATCH', `/api/team/${userId}`, { isDisabled: true });
  expect((await cy.get('/api/team')).status).toBe(401);
  const login = { email: 'cy@example.com', password: PASSWORD };
  expect((await cy.signIn(login)).body.code).toBe('AUTH_021');
  await owner.send('PATCH', `/api/team/${userId}`, { isDisabled: false });
  expect((await cy.signIn(login)).status).toBe(200);
});

test('a removed role loses access with the next request', async () => {
  const { userId, token } = await invite('di@example.com', 'owner');
  const di = await join(token);
  expect((await di.send('POST', '/api/team', { email: 'x1@example.com', role: 'staff' })).status).toBe(201);
  await owner.send('PATCH', `/api/team/${userId}`, { role: 'staff' });
  expect((await di.send('POST', '/api/team', { email: 'x2@example.com', role: 'staff' })).body.code).toBe('AUTH_023');
  expect(await listActions(owner.login.email)).toContain('user.role_changed');
});

test('the last owner cannot be removed, even when two owners remove each other at once', async () => {
  const other = await service.addRestaurant();
  const [first, second] = await Promise.all([1, 2].map(() => signInAs(service, 'owner', { restaurant: other })));
  if (first === undefined || second === undefined) throw new Error('nobody');
  const answers = await Promise.all([
    first.send('DELETE', `/api/team/${second.login.userId}`),
    second.send('DELETE', `/api/team/${first.login.userId}`),
  ]);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const last = answers[0]?.status === 200 ? first : second;
  for (const change of [{ role: 'staff' }, { isDisabled: true }]) {
    const answer = await last.send('PATCH', `/api/team/${last.login.userId}`, change);
    expect(answer.body.message).toContain('only owner');
  }
  expect((await last.send('DELETE', `/api/team/${last.login.userId}`)).status).toBe(409);
});

test('an operator acts as a restaurant, visibly and in its audit log, until the mode is ended', async () => {
  const operator = await signInAs(service, 'operator');
  expect((await operator.get('/api/team')).body.code).toBe('AUTH_023');
  await operator.send('POST', '/api/operator/impersonation', { restaurantId: restaurant.id });
  const { session } = (await operator.get('/api/session')).body;
  expect(session).toMatchObject({ role: 'owner', impersonatedBy: operator.login.email, restaurant: { name: 'Moda' } });
  expect((await operator.get('/api/team')).status).toBe(200);
  expect((await operator.send('POST', '/api/operator/impersonation', { restaurantId: restaurant.id })).status).toBe(
    403,
  );
  await operator.send('POST', '/api/team', { email: 'by-operator@example.com', role: 'staff' });
  expect(await listActions(`${operator.login.email} (operator) as restaurant`)).toEqual(['user.invited']);
  expect((await operator.send('DELETE', '/api/session/impersonation')).status).toBe(200);
  expect((await operator.get('/api/session')).body.session).toMatchObject({ role: 'operator', impersonatedBy: null });
  expect((await operator.get('/api/team')).status).toBe(403);
  expect(await listActions(operator.login.email)).toEqual([
    'operator.left_restaurant',
    'operator.signed_in_as_restaurant',
  ]);
  expect((await owner.send('DELETE', '/api/session/impersonation')).body.code).toBe('PANEL_002');
});

test('no password, link or code is in the audit log', async () => {
  const { token } = await invite('eve@example.com');
  await join(token);
  const entries = JSON.stringify(await listAuditEntries(service.app.db, null, 500));
  for (const secret of [token, PASSWORD, 'argon2']) expect(entries).not.toContain(secret);
});
