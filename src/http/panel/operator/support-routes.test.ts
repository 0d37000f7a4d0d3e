import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { signInAs, type Browser, type Login } from '../../../../harness/service/panel-client.ts';
import { startReceiver, type Receiver } from '../../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../../harness/service/service.ts';
import { probeAnswer, supportCaseDetail, supportCasesAnswer } from '../../../contract/panel/operator/support.ts';
import { listAuditEntries } from '../../../store/people/audit-log.ts';
import { insertOutage } from '../../../store/webhooks/endpoint-health.ts';
import { insertSupportCase } from '../../../store/webhooks/support-cases.ts';

let service: TestService;
let operator: Browser & { login: Login };
let receiver: Receiver;
let restaurant: TestRestaurant;
let answer: number;
let caseId: string;
beforeAll(async () => {
  service = await startService();
  operator = await signInAs(service, 'operator');
});
afterAll(() => service.stop());
beforeEach(async () => {
  answer = 500;
  receiver = await startReceiver({ onRequest: () => answer });
  restaurant = await service.addRestaurant({ receiver, autoApprove: true, contactEmail: 'tech@moda.example' });
  await service.post(restaurant, { orderId: 'a' });
  await vi.waitUntil(async () => (await countFailed()) > 0, { timeout: 20_000 });
  caseId = randomUUID();
  const failing = { restaurantId: restaurant.id, endpoint: 'status', failingSince: Date.now() } as const;
  const outageId = randomUUID();
  await service.app.db.transaction(async (tx) => {
    await insertOutage(tx, { ...failing, id: outageId, notifiedAt: Date.now() });
    await insertSupportCase(tx, { ...failing, id: caseId, outageId, openedAt: Date.now() });
  });
});
afterEach(() => receiver.close());

async function countFailed(): Promise<number> {
  const rows = await service.app.db.query('select from deliveries where restaurant_id = $1 and failures > 0', [
    restaurant.id,
  ]);
  return rows.length;
}

async function list(state: string) {
  const { status, body } = await operator.get(`/api/operator/support-cases?state=${state}`);
  expect(status).toBe(200);
  return supportCasesAnswer.parse(body);
}

async function show() {
  return supportCaseDetail.parse((await operator.get(`/api/operator/support-cases/${caseId}`)).body);
}

const act = (verb: string, body: object = {}) =>
  operator.send('POST', `/api/operator/support-cases/${caseId}/${verb}`, body);
const isMine = ({ id }: { id: string }) => id === caseId;

test('a case shows the contact, the backlog and the last errors', async () => {
  expect((await list('open')).cases.find(isMine)).toMatchObject({ restaurantId: restaurant.id, endpoint: 'status' });
  expect(await show()).toMatchObject({
    state: 'open',
    url: receiver.url('/status'),
    contacts: ['tech@moda.example'],
    waiting: 1,
    failedAttempts: 1,
    lastErrors: [{ status: 500 }],
    notes: [],
  });
});

test('a case is contacted, noted and resolved, listed under its state, each with its audit entry', async () => {
  expect((await act('contacted')).status).toBe(200);
  expect((await list('open')).cases.find(isMine)).toBeUndefined();
  const contacted = await list('contacted');
  expect(contacted.cases.find(isMine)).toMatchObject({ state: 'contacted' });
  expect(contacted.counts.contacted).toBeGreaterThan(0);
  expect((await act('notes', { note: 'Called them' })).status).toBe(200);
  expect((await act('resolve')).status).toBe(200);
  expect((await list('resolved')).cases.find(isMine)).toMatchObject({ resolution: 'by_operator' });
  expect((await show()).notes).toMatchObject([{ actor: operator.login.email, note: 'Called them' }]);
  const refused = await act('contacted');
  expect([refused.status, refused.body.code]).toEqual([409, 'SUPPORT_001']);
  const entries = await listAuditEntries(service.app.db, restaurant.id, 50);
  expect(entries.filter(({ actor }) => actor === operator.login.email).map(({ action }) => action)).toEqual([
    'support_case.resolved',
    'support_case.noted',
    'support_case.contacted',
  ]);
});

/** The operator's last action on the case, from the audit log. */
async function lastAct() {
  const entries = await listAuditEntries(service.app.db, restaurant.id, 50);
  return entries.find(({ actor }) => actor === operator.login.email);
}

test('a probe reports the result, sends the oldest waiting webhook at once, and is in the audit log', async () => {
  answer = 200;
  const { status, body } = await act('probe');
  expect(status).toBe(200);
  const probe = probeAnswer.parse(body);
  expect(probe).toMatchObject({ inspection: { ok: true, errorText: null }, sent: 'queued' });
  expect(probe.inspection.certificates.length).toBeGreaterThan(0);
  expect(await lastAct()).toMatchObject({
    action: 'support_case.probed',
    detail: { caseId, endpoint: 'status', isReachable: true, eventId: expect.any(String) },
  });
  await expect.poll(countFailed).toBe(0);
});

test('a probe of an unreachable endpoint says why, sends nothing, and is in the audit log', async () => {
  await receiver.close();
  const probe = probeAnswer.parse((await act('probe')).body);
  expect(probe).toMatchObject({ inspection: { ok: false, failedAt: 'connection' }, sent: null });
  expect(probe.inspection.errorText).not.toBeNull();
  expect(await lastAct()).toMatchObject({
    action: 'support_case.probed',
    detail: { caseId, isReachable: false, eventId: null },
  });
  receiver = await startReceiver();
});

test('409: a removed URL is not probed', async () => {
  await service.app.db.query('update endpoints set url = null where restaurant_id = $1', [restaurant.id]);
  expect((await act('probe')).status).toBe(409);
});

test('an empty note and an unknown state get 422, an unknown case 404', async () => {
  expect((await act('notes', { note: '  ' })).status).toBe(422);
  expect((await operator.get('/api/operator/support-cases?state=closed')).status).toBe(422);
  caseId = randomUUID();
  for (const verb of ['contacted', 'resolve', 'probe']) expect((await act(verb)).body.code).toBe('PANEL_001');
  expect((await act('notes', { note: 'x' })).status).toBe(404);
  expect((await operator.get(`/api/operator/support-cases/${caseId}`)).status).toBe(404);
});
