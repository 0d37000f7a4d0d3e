// A backup, then changes, then a restore: the effects on integrators, operators and pages.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey } from '../../../src/actions/restaurants/create-api-key.ts';
import { createBasicCredential } from '../../../src/actions/restaurants/create-basic-credential.ts';
import { revokeApiKey } from '../../../src/actions/restaurants/revoke-api-key.ts';
import { HISTORY_TABLES } from '../../../src/store/upkeep/history.ts';
import { runCommand, runJson } from '../../processes/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { openLiveEvents } from '../../clients/live-events.ts';
import { addLogin, openBrowser, signInAs, type Browser } from '../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

interface Page {
  events: { event: { orderId: string } }[];
  nextCursor: string;
}

let folder: string;
let database: TestDatabase;
let service: TestService;
let restaurant: TestRestaurant;
let restored: { unknown: string[] };
let operatorBefore: Browser;
let ownerLogin: { email: string; password: string };
let revokedKey: string;
const cursors = { backup: '', lost: '' };
let lastEventId = '';

async function read(after: string): Promise<{ status: number; orders: string[]; page: Page }> {
  const answer = await service.get(restaurant, `events?after=${after}`);
  const page = (await answer.json()) as Page;
  return { status: answer.status, orders: page.events?.map(({ event }) => event.orderId) ?? [], page };
}

async function place(...orderIds: string[]): Promise<void> {
  for (const orderId of orderIds) expect((await service.post(restaurant, { orderId })).status).toBe(201);
}

async function readToEnd(): Promise<string> {
  const answer = await service.get(restaurant, 'events?limit=500');
  return ((await answer.json()) as Page).nextCursor;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-restore-'));
  service = await startService({ roles: ['api'] });
  restaurant = await service.addRestaurant({ autoApprove: true });
  const by = { restaurantId: restaurant.id, actor: { name: 'test' } };
  const key = await createApiKey(service.app, { ...by, environment: 'live', lifetimeMs: null });
  if (key.kind === 'refused') throw new Error(key.refusal.code);
  revokedKey = key.apiKey;
  operatorBefore = await signInAs(service, 'operator');
  ownerLogin = await addLogin(service, 'owner', { restaurant });
  await place('A1', 'A2');
  cursors.backup = await readToEnd();
  const file = path.join(folder, 'backup.gz');
  await runJson(environmentOf(service), ['backup', file]);

  await place('lost-1', 'lost-2');
  cursors.lost = await readToEnd();
  // The stream position of an owner's page, after four events.
  lastEventId = `4.0.${Date.now()}`;
  await revokeApiKey(service.app, { keyId: key.keyId, scope: 'everything', actor: { name: 'test' } });

  database = await createTestDatabase();
  const { masterKey } = service;
  restored = (await runJson(environmentOf({ databaseUrl: database.url, masterKey }), [
    'restore',
    file,
  ])) as typeof restored;
  await service.stop();
  service = await startService({ databaseUrl: database.url, masterKey, roles: ['api'] });
});

afterAll(async () => {
  await service.stop();
  await database.drop();
  await rm(folder, { recursive: true });
});

function environmentOf({
  databaseUrl,
  masterKey,
}: Pick<TestService, 'databaseUrl' | 'masterKey'>): Record<string, string> {
  return { DATABASE_URL: databaseUrl, WAYBILL_MASTER_KEY: masterKey.toString('base64') };
}

test('every history row is in the partition of its week', async () => {
  for (const table of HISTORY_TABLES) {
    expect(await service.app.db.query(`select from ${table}_rest limit 1`)).toHaveLength(0);
  }
});

test('an old cursor is answered with the one to continue from, and no event is skipped', async () => {
  await place('B3');
  let nextCursor = '';
  for (const [name, cursor] of Object.entries(cursors)) {
    const refused = await service.get(restaurant, `events?after=${cursor}`);
    const problem = (await refused.json()) as { code: string; restartAfter: string };
    expect([name, refused.status, problem.code]).toEqual([name, 410, 'FEED_001']);
    const { orders, page } = await read(problem.restartAfter);
    expect(orders).toEqual(['B3']);
    ({ nextCursor } = page);
  }
  // From here on, the feed continues normally.
  await place('B4', 'B5');
  expect(await read(nextCursor)).toMatchObject({ status: 200, orders: ['B4', 'B5'] });
});

test('a page that reconnects with a position from before the restore reloads everything', async () => {
  const browser = openBrowser(service.address);
  expect((await browser.signIn(ownerLogin)).status).toBe(200);
  const live = await openLiveEvents(service.address, { cookie: browser.cookieHeader(), lastEventId });
  await live.until(() => live.events.length > 0);
  expect(live.events[0]?.name).toBe('reset');
  live.close();
  // Control: a position from after the restore is valid, and nothing is read again.
  const back = await openLiveEvents(service.address, { cookie: browser.cookieHeader(), lastEventId: live.lastEventId });
  await place('B6');
  await back.until(() => back.events.length > 0);
  expect(back.events[0]?.name).toBe('orders');
  back.close();
});

test('sessions from before the restore are no longer valid', async () => {
  const session = await fetch(`${service.address}/api/operator/overview`, {
    headers: { cookie: operatorBefore.cookieHeader(), 'sec-fetch-site': 'same-origin' },
  });
  expect(session.status).toBe(401);
});

test('operators see what is uncertain until one of them dismisses it', async () => {
  expect(restored.unknown.join(' ')).toContain('revoked since then work again');
  // The key whose revocation was lost works again.
  const answer = await service.get({ ...restaurant, apiKey: revokedKey }, 'events');
  expect(answer.status).toBe(200);
  const operator = await signInAs(service, 'operator');
  const { body } = await operator.get('/api/operator/restore-notice');
  expect(body.notice).toMatchObject({ cause: 'restored', unknowns: restored.unknown });
  const dismiss = () => operator.send('POST', `/api/operator/restore-notice/${body.notice.epochId}/dismiss`);
  expect((await dismiss()).status).toBe(200);
  expect((await operator.get('/api/operator/restore-notice')).body).toEqual({ notice: null });
  expect((await dismiss()).status).toBe(404);
  const actions = await service.app.db.query('select action from audit_entries order by id desc limit 5');
  expect(actions).toEqual(
    expect.arrayContaining([{ action: 'restore_notice.dismissed' }, { action: 'database.restored' }]),
  );
});

test('revoke ends everything created or changed since a given time, each with an audit entry, and nothing older', async () => {
  const since = new Date().toISOString();
  const by = { restaurantId: restaurant.id, actor: { name: 'test' } };
  const key = await createApiKey(service.app, { ...by, environment: 'live', lifetimeMs: null });
  const basic = await createBasicCredential(service.app, by);
  if (key.kind === 'refused' || basic.kind === 'refused') throw new Error('refused');
  const stranger = await signInAs(service, 'operator');
  const run = (...args: string[]) => runJson(environmentOf(service), ['revoke', '--since', since, ...args]);
  const expected = {
    apiKeys: [{ id: key.keyId, prefix: key.prefix }],
    basicCredentials: [{ username: basic.username }],
    webhookSecrets: [],
    users: [{ email: stranger.login.email, role: 'operator' }],
    sessions: [{ email: stranger.login.email, count: 1 }],
    accountLinks: [],
  };
  expect(await run('--dry-run')).toMatchObject({ ...expected, dryRun: true });
  expect((await stranger.get('/api/operator/overview')).status).toBe(200);

  expect(await run()).toMatchObject({ ...expected, dryRun: false });
  expect((await stranger.get('/api/operator/overview')).status).toBe(401);
  expect((await openBrowser(service.address).signIn(stranger.login)).status).not.toBe(200);
  await expect.poll(async () => (await service.get({ ...restaurant, apiKey: key.apiKey }, 'events')).status).toBe(401);
  // Control: older credentials still work.
  expect((await service.get(restaurant, 'events')).status).toBe(200);
  const entries = await service.app.db.query<{ action: string }>(
    `select action from audit_entries where detail ? 'revokedSince' order by action`,
  );
  expect(entries.map(({ action }) => action)).toEqual([
    'api_key.revoked',
    'basic_credential.revoked',
    'session.revoked',
    'user.disabled',
  ]);
  expect(await run()).toMatchObject({ apiKeys: [], basicCredentials: [], users: [], sessions: [] });
  const said = await runCommand(environmentOf(service), ['revoke', '--since', since]);
  expect(said.stdout).toContain('works again');
});

test('recovery with other tools is refused while a service runs', async () => {
  const running = await startService({ databaseUrl: database.url, masterKey: service.masterKey, roles: ['deliver'] });
  const refused = await runCommand(environmentOf(service), ['recovered', '--to', '1h']);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Stop it first') });
  await running.app.stop();
});

test('control: without an epoch the old cursor silently skips events', async () => {
  await service.app.db.query('delete from epoch_sequences');
  await service.app.db.query('delete from epochs');
  // B3 and B4 have taken the sequence numbers of the lost orders.
  expect((await read(cursors.lost)).orders).toEqual(['B5', 'B6']);
});
