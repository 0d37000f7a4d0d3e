// The receiver check against real receivers: one that follows the contract, and one for each mistake.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { signInAs, type Browser } from '../../../../harness/service/panel-client.ts';
import {
  startReceiver,
  type Answer,
  type ReceivedRequest,
  type Receiver,
} from '../../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../../harness/service/service.ts';
import { setWebhookUrls } from '../../../actions/webhooks/set-webhook-urls.ts';
import { receiverCheckLine, type ReceiverCheckCase } from '../../../contract/panel/webhooks/receiver-check.ts';
import { CHECK_CASES, type CheckCase } from '../../../domain/webhooks/receiver-check.ts';

let service: TestService;
const receivers: Receiver[] = [];

beforeAll(async () => {
  service = await startService();
});
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
afterAll(() => service.stop());

interface Stage {
  receiver: Receiver;
  restaurant: TestRestaurant;
  owner: Browser;
}

/** A restaurant with a receiver that checks signatures and otherwise answers as `onRequest` decides. */
async function setStage(
  onRequest: (request: ReceivedRequest, seen: Set<string>) => Answer,
  options: { hasSecret?: boolean; isTrusting?: boolean } = {},
): Promise<Stage> {
  const { hasSecret = true, isTrusting = false } = options;
  const restaurant = await service.addRestaurant({ hasSecret });
  const seen = new Set<string>();
  const receiver = await startReceiver({
    ...(restaurant.secret !== undefined && !isTrusting && { secret: restaurant.secret }),
    onRequest: (request) => {
      const answer = onRequest(request, seen);
      seen.add(request.body.toString());
      return answer;
    },
  });
  receivers.push(receiver);
  const { id: restaurantId } = restaurant;
  const urls = { status: receiver.url('/status'), cancel: receiver.url('/cancel') };
  const set = await setWebhookUrls(service.app, { restaurantId, urls, actor: { name: 'test' } });
  if (set.kind === 'refused') throw new Error(set.refusal.code);
  return { receiver, restaurant, owner: await signInAs(service, 'owner', { restaurant }) };
}

async function check({ owner }: Stage, endpoint = 'status'): Promise<Map<CheckCase, ReceiverCheckCase>> {
  const { status, body, headers } = await owner.send('POST', '/api/webhooks/receiver-check', { endpoint });
  expect(status).toBe(200);
  expect(headers.get('content-type')).toContain('application/x-ndjson');
  const lines = String(body)
    .trim()
    .split('\n')
    .map((line) => receiverCheckLine.parse(JSON.parse(line)));
  expect(lines.at(0)).toMatchObject({ kind: 'begun', cases: CHECK_CASES });
  expect(lines.at(-1)).toEqual({ kind: 'done' });
  const cases = lines.filter((line) => line.kind === 'case');
  expect(cases.map(({ name }) => name)).toEqual(CHECK_CASES);
  return new Map(cases.map((result) => [result.name, result]));
}

function findingsOf(results: Map<CheckCase, ReceiverCheckCase>): Partial<Record<CheckCase, string>> {
  return Object.fromEntries(
    [...results]
      .filter(([, { verdict }]) => verdict !== 'pass')
      .map(([name, { verdict, finding }]) => [name, `${verdict} ${finding}`]),
  );
}

const textOf = (request: ReceivedRequest) => request.body.toString();
const payloadOf = (request: ReceivedRequest) => JSON.parse(textOf(request)) as Record<string, string>;

test('with delivery metadata the check includes it, and the duplicate has the same id', async () => {
  const stage = await setStage(() => 200);
  await stage.owner.send('PUT', '/api/integration/delivery-metadata', { isOn: true });
  await check(stage);
  const [valid, duplicate, older] = stage.receiver.requests.map(({ headers }) => headers);
  expect(valid).toMatchObject({ 'webhook-signature': expect.stringMatching(/^v1,/), 'x-waybill-attempt': '1' });
  expect(duplicate?.['webhook-id']).toBe(valid?.['webhook-id']);
  expect(older?.['webhook-id']).not.toBe(valid?.['webhook-id']);
});

test.each(['status', 'cancel'])('a receiver that follows the contract passes every check (%s)', async (endpoint) => {
  const stage = await setStage(() => 200);
  const results = await check(stage, endpoint);
  expect(findingsOf(results)).toEqual({});
  const { requests } = stage.receiver;
  expect(new Set(requests.map(({ path }) => path))).toEqual(new Set([`/${endpoint}`]));
  expect(requests).toHaveLength(10);
  const [valid, duplicate, older, forged, unknown] = requests;
  if (!valid || !duplicate || !older || !forged || !unknown) throw new Error('a request is missing');
  expect(textOf(duplicate)).toBe(textOf(valid));
  expect(payloadOf(older)['orderId']).toBe(payloadOf(valid)['orderId']);
  expect(Date.parse(payloadOf(older)['timestamp'] ?? '')).toBeLessThan(Date.parse(payloadOf(valid)['timestamp'] ?? ''));
  expect([valid, duplicate, older, forged, unknown].map(({ isSignatureValid }) => isSignatureValid)).toEqual([
    true,
    true,
    true,
    false,
    true,
  ]);
  expect(Object.keys(payloadOf(unknown))).toContain('waybillTest');
  expect(results.get('wrong-signature')?.status).toBe(401);
});

test('the check’s events cannot be mistaken for real orders and leave no deliveries behind', async () => {
  const stage = await setStage(() => 200);
  await check(stage);
  for (const request of stage.receiver.requests) {
    expect(payloadOf(request)['orderId']).toMatch(/^waybill-test-receiver-check-[0-9a-f]{12}-/);
    expect(payloadOf(request)['serviceOrderId']).toBe('00000000-0000-0000-0000-000000000000');
  }
  const { id } = stage.restaurant;
  const [row] = await service.app.db.query(
    `select (select count(*)::int from attempts where restaurant_id = $1) as attempts,
       (select count(*)::int from deliveries where restaurant_id = $1) as deliveries,
       (select count(*)::int from audit_entries where restaurant_id = $1 and action = 'receiver.checked') as audited`,
    [id],
  );
  expect(row).toEqual({ attempts: 0, deliveries: 0, audited: 1 });
});

const MISTAKES: [
  string,
  (request: ReceivedRequest, seen: Set<string>) => Answer,
  Partial<Record<CheckCase, string>>,
][] = [
  [
    'refuses what it has already',
    (request, seen) => (seen.has(textOf(request)) ? 409 : 200),
    { duplicate: 'fail refused' },
  ],
  [
    'refuses what is older than what it knows',
    (request, seen) => {
      const { orderId, timestamp = '' } = payloadOf(request);
      const isOlder = [...seen].some((text) => {
        const known = JSON.parse(text) as Record<string, string>;
        return known['orderId'] === orderId && (known['timestamp'] ?? '') > timestamp;
      });
      return isOlder ? 422 : 200;
    },
    { older: 'fail refused' },
  ],
  [
    'knows every field that there will ever be',
    (request) => ('waybillTest' in payloadOf(request) ? 400 : 200),
    { 'unknown-field': 'fail refused' },
  ],
  [
    'works before it acknowledges',
    (request) => (/-d\d$/.test(payloadOf(request)['orderId'] ?? '') ? { delayMs: 2_200 } : 200),
    { acknowledgement: 'warn slow' },
  ],
];

test.each(MISTAKES)('a receiver that %s gets that finding', async (_, onRequest, findings) => {
  expect(findingsOf(await check(await setStage(onRequest)))).toEqual(findings);
});

test('a receiver that does not verify signatures fails', async () => {
  const results = await check(await setStage(() => 200, { isTrusting: true }));
  expect(findingsOf(results)).toEqual({ 'wrong-signature': 'fail forgery-accepted' });
});

test('a receiver that rejects forgeries with another status is warned, and one that crashes fails', async () => {
  const refuseForged = (status: number) => (request: ReceivedRequest) =>
    payloadOf(request)['orderId']?.endsWith('-b') === true ? status : 200;
  const forbidding = await check(await setStage(refuseForged(403), { isTrusting: true }));
  expect(findingsOf(forbidding)).toEqual({ 'wrong-signature': 'warn other-status' });
  const broken = await check(await setStage(refuseForged(500), { isTrusting: true }));
  expect(findingsOf(broken)).toEqual({ 'wrong-signature': 'fail other-status' });
});

test('a receiver with a different secret rejects valid signatures', async () => {
  const stage = await setStage(() => 401);
  expect((await check(stage)).get('valid')).toMatchObject({ verdict: 'fail', finding: 'good-signature-refused' });
});

test('a receiver that does not answer gets one request, and the rest is skipped', async () => {
  const results = await check(await setStage(() => 'reset'));
  expect(results.get('valid')).toMatchObject({ verdict: 'fail', finding: 'not-reached', status: null });
  expect([...results.values()].slice(1).map(({ finding }) => finding)).toEqual(Array(5).fill('not-tried'));
});

test('without a secret nothing is signed, and forgeries are skipped', async () => {
  const stage = await setStage(() => 200, { hasSecret: false });
  expect(findingsOf(await check(stage))).toEqual({ 'wrong-signature': 'skipped no-secret' });
  expect(stage.receiver.requests.every(({ headers }) => headers['x-service-signature'] === undefined)).toBe(true);
});

test('409: concurrent checks and a missing URL; 403: staff; 422: an unknown endpoint', async () => {
  const stage = await setStage(() => 200);
  const ask = (browser: Browser, endpoint: string) =>
    browser.send('POST', '/api/webhooks/receiver-check', { endpoint });
  const answers = await Promise.all([ask(stage.owner, 'status'), ask(stage.owner, 'status')]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(answers.find(({ status }) => status === 409)?.body.message).toContain('Try again in');
  const bare = await signInAs(service, 'owner', { restaurant: await service.addRestaurant() });
  expect((await ask(bare, 'status')).body.message).toContain('No URL is registered');
  const staff = await signInAs(service, 'staff', { restaurant: stage.restaurant });
  expect((await ask(staff, 'status')).status).toBe(403);
  expect((await ask(stage.owner, 'other')).status).toBe(422);
});
