// The operator's work on a support case, through the command line, beside a running service.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { checkMasterKey } from '../../../src/actions/upkeep/check-master-key.ts';
import { watchEndpoints } from '../../../src/actions/webhooks/watch-endpoints.ts';
import type { Environment } from '../../../src/settings/setting.ts';
import { listEndpoints } from '../../../src/store/webhooks/endpoints.ts';
import { runCommand, runJson } from '../../processes/command-line.ts';
import { getTestAuthority, startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const PATIENCE = { timeout: 20_000 };
let folder: string;
let env: Environment;
let receiver: Receiver;
let service: TestService;
let status: number;
let restaurant: TestRestaurant;
let caseId: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-support-'));
  receiver = await startReceiver({ onRequest: () => status });
  service = await startService();
  await checkMasterKey(service.app.db, service.app.vault);
  const caFile = path.join(folder, 'ca.pem');
  await writeFile(caFile, (await getTestAuthority()).certificatePem);
  env = {
    DATABASE_URL: service.databaseUrl,
    WAYBILL_MASTER_KEY: service.masterKey.toString('base64'),
    WAYBILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    WAYBILL_WEBHOOK_CA_FILE: caFile,
  };
});

afterAll(async () => {
  await service.stop();
  await receiver.close();
  await rm(folder, { recursive: true });
});

const json = (...args: string[]) => runJson(env, args);
const watch = () => watchEndpoints({ ...service.app, operatorEmail: 'operator@example.com', publicUrl: 'http://x' });

/** An endpoint whose first failure was 25 hours ago. */
beforeEach(async () => {
  status = 503;
  restaurant = await service.addRestaurant({ receiver, autoApprove: true, contactEmail: 'kitchen@example.com' });
  await service.post(restaurant, { orderId: 'a' });
  const { db } = service.app;
  const failing = async () =>
    (await listEndpoints(db, restaurant.id)).some(({ failingSince }) => failingSince !== null);
  await vi.waitUntil(failing, PATIENCE);
  await db.query(`update endpoints set failing_since = failing_since - interval '25 hours' where restaurant_id = $1`, [
    restaurant.id,
  ]);
  await watch();
  const { cases } = (await json('support', 'list')) as { cases: { caseId: string; restaurantId: string }[] };
  caseId = cases.find((entry) => entry.restaurantId === restaurant.restaurantId)?.caseId ?? '';
});

test('a case shows whom to contact, the backlog size and the last errors; notes and states are kept', async () => {
  expect(await json('support', 'note', caseId, '--text', 'Called\u001b[31m, no answer')).toMatchObject({ noted: true });
  expect(await json('support', 'contacted', caseId)).toMatchObject({ state: 'contacted' });
  expect(await json('support', 'contacted', caseId)).toMatchObject({ state: 'contacted' });
  expect(await json('support', 'show', caseId)).toMatchObject({
    state: 'contacted',
    restaurantId: restaurant.restaurantId,
    endpoint: 'status',
    url: receiver.url('/status'),
    contacts: ['kitchen@example.com'],
    waiting: 1,
    failedAttempts: 1,
    lastErrors: [{ status: 503 }],
    notes: [{ note: 'Called\u001b[31m, no answer' }],
    resolvedAt: null,
  });
  const shown = await runCommand(env, ['support', 'show', caseId]);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toContain('Support case of Testaurant');
  expect(shown.stdout).not.toContain('\u001b');
  expect(await json('support', 'resolve', caseId)).toMatchObject({ state: 'resolved' });
  const { cases: open } = await json('support', 'list');
  expect(open).not.toContainEqual(expect.objectContaining({ caseId }));
  const { cases: all } = await json('support', 'list', '--all');
  expect(all).toContainEqual(expect.objectContaining({ caseId, state: 'resolved', resolution: 'by_operator' }));
  expect(await runCommand(env, ['support', 'contacted', caseId])).toMatchObject({ code: 1 });
  const { entries } = await json('audit', 'list', '--restaurant', restaurant.restaurantId);
  const acts = ['support_case.resolved', 'support_case.contacted', 'support_case.noted'];
  expect(entries).toMatchObject(expect.arrayContaining(acts.map((action) => expect.objectContaining({ action }))));
});

test('a probe of a recovered endpoint sends the oldest waiting delivery, and the case closes automatically', async () => {
  status = 200;
  const probed = await json('support', 'probe', caseId);
  expect(probed).toMatchObject({ isReachable: true, error: null, certificateDaysLeft: expect.any(Number) });
  expect(probed['sentEventId']).toMatch(/^[\da-f-]{36}$/);
  const getCase = async () => {
    await watch();
    return json('support', 'show', caseId);
  };
  await expect.poll(getCase, PATIENCE).toMatchObject({ state: 'resolved', resolution: 'recovered', waiting: 0 });
  const metrics = await (await fetch(`${service.address}/metrics`)).text();
  expect(metrics).toMatch(/^waybill_support_cases\{state="open"\} \d+$/m);
  expect(metrics).toMatch(/^waybill_mails\{state="queued"\} [1-9]/m);
  expect(metrics).toMatch(/^waybill_mail_oldest_queued_seconds \d/m);
});

test('a probe of an unreachable endpoint says why and sends nothing', async () => {
  const before = receiver.requests.length;
  const { db } = service.app;
  await db.query(`update endpoints set url = 'https://localhost:1/hook' where restaurant_id = $1`, [restaurant.id]);
  const probed = await runCommand(env, ['support', 'probe', caseId]);
  expect(probed.code).toBe(0);
  expect(probed.stdout).toContain('The endpoint cannot be reached.');
  expect(await json('support', 'probe', caseId)).toMatchObject({
    isReachable: false,
    error: expect.stringMatching(/./),
    sentEventId: null,
  });
  expect(receiver.requests).toHaveLength(before);
});

test.each([
  ['show', []],
  ['note', ['--text', 'x']],
  ['contacted', []],
  ['resolve', []],
  ['probe', []],
])('support %s refuses an unknown case with a one-line error', async (verb, options) => {
  for (const id of [UNKNOWN, 'nonsense']) {
    const refused = await runCommand(env, ['support', verb, id, ...options, '--json']);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stderr)).toEqual({ error: `There is no support case with the id "${id}".` });
  }
});
