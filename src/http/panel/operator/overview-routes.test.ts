// The overview, the audit log and the settings in force, as sent to operators.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signInAs, type Browser, type Login } from '../../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../../harness/service/service.ts';
import { auditAnswer, settingsAnswer } from '../../../contract/panel/operator/audit-log.ts';
import { overviewAnswer, type OverviewAnswer } from '../../../contract/panel/operator/overview.ts';
import { MINUTE_MS } from '../../../domain/time.ts';
import type { WaitReason } from '../../../domain/planning/wait-reasons.ts';
import { recordChange } from '../../../store/people/audit-log.ts';
import { raiseAlarm } from '../../../store/planning/alarms.ts';
import { saveOrderPlans } from '../../../store/planning/plans.ts';

let service: TestService;
let restaurant: TestRestaurant;
let operator: Browser & { login: Login };
beforeAll(async () => {
  service = await startService({ roles: ['api', 'deliver'] });
  restaurant = await service.addRestaurant({ name: 'Moda', autoApprove: true });
  operator = await signInAs(service, 'operator');
});
afterAll(() => service.stop());

async function place(orderId: string, ageMs = 0, more: object = {}): Promise<string> {
  const answer = await service.post(restaurant, { orderId, ...more });
  const { serviceOrderId } = (await answer.json()) as { serviceOrderId: string };
  const createdAt = new Date(Date.now() - ageMs).toISOString();
  await service.app.db.query('update orders set created_at = $2 where id = $1', [serviceOrderId, createdAt]);
  return serviceOrderId;
}

async function explain(orderId: string, reason: WaitReason): Promise<void> {
  const explanation = { kind: 'waiting', reason, until: null } as const;
  const nowhere = { courierId: null, pickupPlace: null, dropoffPlace: null, pickupAt: null, dropoffAt: null };
  await saveOrderPlans(service.app.db, [{ orderId, ...nowhere, explanation }], Date.now());
}

async function look(): Promise<OverviewAnswer> {
  const { status, body } = await operator.get('/api/operator/overview');
  expect(status).toBe(200);
  return overviewAnswer.parse(body);
}

async function lookUntil(isSeen: (overview: OverviewAnswer) => boolean): Promise<OverviewAnswer> {
  let overview = await look();
  await expect.poll(async () => isSeen((overview = await look()))).toBe(true);
  return overview;
}

test('orders are counted by state; late orders, waiting orders and alarms are shown with their reason', async () => {
  const late = await place('late', 50 * MINUTE_MS);
  const waiting = await place('waiting');
  const laterWanted = await place('wanted-later');
  const alarmed = await place('alarmed');
  // A cash register with a wrong clock must not make an order late as soon as it is placed.
  const yesterday = new Date(Date.now() - 24 * 60 * MINUTE_MS).toISOString();
  await place('calm', 0, { timing: { readyAt: yesterday } });
  await explain(waiting, 'NO_ROOM');
  await explain(laterWanted, 'NOT_YET');
  const alarm = { orderId: alarmed, kind: 'PROBLEM_REPORTED', courierId: null, detail: 'Flat tire' } as const;
  await raiseAlarm(service.app.db, { ...alarm, raisedAt: Date.now() });

  const { orders } = await lookUntil((seen) => seen.orders.toLookAt.length === 3);
  expect(orders.states.find(({ state }) => state === 'VALIDATED')).toEqual({ state: 'VALIDATED', count: 5, late: 1 });
  expect(orders.waits).toEqual(
    expect.arrayContaining([
      { reason: 'NO_ROOM', count: 1 },
      { reason: 'NOT_YET', count: 1 },
    ]),
  );
  expect(orders.toLookAt).toMatchObject([
    { orderId: alarmed, restaurantName: 'Moda', alarm: { kind: 'PROBLEM_REPORTED', detail: 'Flat tire' } },
    { orderId: late, isLate: true, alarm: null },
    { orderId: waiting, isLate: false, waitReason: 'NO_ROOM' },
  ]);
  expect(orders.isCut).toBe(false);
});

test('a failing endpoint is shown with its start time and backlog', async () => {
  // With a URL, because an endpoint without one soon counts as not failing; and not long enough to cause a mail.
  await service.app.db.query(
    `update endpoints set url = 'https://away.example/status', failing_since = now() - interval '10 min',
       last_error = 'connection refused'
     where restaurant_id = $1 and kind = 'status'`,
    [restaurant.id],
  );
  await service.app.db.query(
    `update deliveries set failures = 1, due_at = now() + interval '1 h' where restaurant_id = $1`,
    [restaurant.id],
  );
  const { endpoints } = await lookUntil((seen) => seen.endpoints.count === 1);
  expect(endpoints.failing).toMatchObject([
    { restaurantName: 'Moda', endpoint: 'status', lastError: 'connection refused', supportCase: null, waiting: 5 },
  ]);
});

test('health lists this node’s roles and heartbeat, queue, audit, mail, database and event loop lag', async () => {
  const { health } = await lookUntil((seen) => seen.health.nodes.some(({ silentMs }) => silentMs !== null));
  expect(health.nodes).toMatchObject([{ isAlive: true, roles: ['api', 'deliver'] }]);
  expect(health.deliveries).toMatchObject({ late: 0 });
  expect(health.audit.differences).toEqual([]);
  expect(health.mails).toEqual({ queued: 0, refused: 0, oldestSeconds: 0, hasServer: false });
  expect(health.database.sizeBytes).toBeGreaterThan(1_000_000);
  expect(health.database.connections.total).toBeGreaterThan(0);
  expect(health.eventLoop.p99Ms).toBeGreaterThan(0);
  expect(health.planning).toBeNull();
});

test('asking for a new plan is audited', async () => {
  expect((await operator.send('POST', '/api/operator/planning/replan')).status).toBe(200);
  const { entries } = await readAudit({ action: 'plan.' });
  expect(entries).toMatchObject([{ action: 'plan.requested', actor: operator.login.email, restaurant: null }]);
});

async function readAudit(filters: Record<string, string>) {
  const { status, body } = await operator.get(`/api/operator/audit?${new URLSearchParams(filters).toString()}`);
  expect(status).toBe(200);
  return auditAnswer.parse(body);
}

interface Noted {
  actor: string;
  action: string;
  at: number;
  restaurantId?: string;
}

function note({ restaurantId, ...entry }: Noted): Promise<void> {
  const whole = { ...entry, actor: { name: entry.actor }, restaurantId: restaurantId ?? null, detail: { n: entry.at } };
  return service.app.db.transaction((tx) => recordChange(tx, whole));
}

test('the audit log is filtered by actor, action, restaurant and time, newest first', async () => {
  const at = Date.parse('2026-02-01T10:00:00Z');
  await note({ actor: 'Zoe@example.com', action: 'zebra.fed', at, restaurantId: restaurant.id });
  await note({ actor: 'zoe@example.com', action: 'zebra.washed', at: at + 1_000 });
  await note({ actor: 'yann@example.com', action: 'zebra.fed', at: at + 2_000 });
  const actionsOf = async (filters: Record<string, string>) =>
    (await readAudit(filters)).entries.map(({ actor, action }) => `${actor.toLowerCase()} ${action}`);
  expect(await actionsOf({ action: 'zebra.' })).toEqual([
    'yann@example.com zebra.fed',
    'zoe@example.com zebra.washed',
    'zoe@example.com zebra.fed',
  ]);
  expect(await actionsOf({ actor: 'zoe@', action: 'zebra.fed' })).toEqual(['zoe@example.com zebra.fed']);
  expect(await actionsOf({ restaurantId: restaurant.id, action: 'zebra.' })).toEqual(['zoe@example.com zebra.fed']);
  expect(await actionsOf({ from: '2026-02-01T10:00:01Z', until: '2026-02-01T10:00:02Z' })).toEqual([
    'zoe@example.com zebra.washed',
  ]);
  const [entry] = (await readAudit({ restaurantId: restaurant.id, action: 'zebra.' })).entries;
  expect(entry).toMatchObject({ restaurant: { id: restaurant.id, name: 'Moda' }, detail: { n: at } });
});

test('pages of the audit log have no gaps or repeats', async () => {
  for (let n = 0; n < 120; n += 1) await note({ actor: 'paging', action: 'page.turned', at: 1_700_000_000_000 + n });
  const seen: number[] = [];
  let before: number | null = null;
  do {
    const page = await readAudit({ action: 'page.', ...(before !== null && { before: String(before) }) });
    expect(page.entries.length).toBeLessThanOrEqual(50);
    seen.push(...page.entries.map(({ id }) => id));
    before = page.next;
  } while (before !== null);
  expect(seen).toHaveLength(120);
  expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => b - a));
});

test('a search through a long log continues where the previous part ended', async () => {
  await note({ actor: 'needle@example.com', action: 'needle.found', at: 1_700_000_000_000 });
  await service.app.db.query(
    `insert into audit_entries (at, actor, action) select now(), 'hay', 'hay.added' from generate_series(1, 20000)`,
  );
  const first = await readAudit({ actor: 'needle' });
  expect(first.entries).toEqual([]);
  expect(first.next).not.toBeNull();
  const second = await readAudit({ actor: 'needle', before: String(first.next) });
  expect(second.entries).toMatchObject([{ action: 'needle.found' }]);
  expect(second.next).toBeNull();
});

test('an invalid filter gets 422', async () => {
  for (const query of ['from=yesterday', 'restaurantId=moda', 'before=-1', 'before=x']) {
    expect((await operator.get(`/api/operator/audit?${query}`)).body.code).toBe('REQ_004');
  }
});

test('active settings are shown with their description, secrets only as set or not set', async () => {
  const { settings } = settingsAnswer.parse((await operator.get('/api/operator/settings')).body);
  const find = (name: string) => settings.find((setting) => setting.name === name);
  expect(find('WAYBILL_ROLES')).toMatchObject({ value: 'api,deliver', isSecret: false, isSet: true });
  expect(find('WAYBILL_ROLES')?.sentence).toContain('What this node does');
  expect(find('WAYBILL_MASTER_KEY')).toMatchObject({ isSecret: true, isSet: true, value: null });
  expect(find('WAYBILL_SMTP_URL')).toMatchObject({ isSecret: true, isSet: false, value: null });
  expect(find('WAYBILL_SMTP_URL')?.fileVariable).toBe('WAYBILL_SMTP_URL_FILE');
  expect(find('WAYBILL_ROLES')?.fileVariable).toBeNull();
});

test('an order assigned by hand is no longer listed as waiting, regardless of its last plan', async () => {
  const orderId = await place('by-hand');
  await explain(orderId, 'NO_DROPOFF_LOCATION');
  const isWaiting = ({ orders }: OverviewAnswer) =>
    orders.waits.some(({ reason }) => reason === 'NO_DROPOFF_LOCATION') &&
    orders.toLookAt.some((order) => order.orderId === orderId);
  await lookUntil(isWaiting);
  const courierId = await service.addCourier('Ada');
  await service.app.changer.change({
    scope: 'everything',
    orderId,
    command: { name: 'assign', courierId },
    actor: { role: 'restaurant' },
  });
  const { orders } = await lookUntil((seen) => seen.orders.toLookAt.every((order) => order.orderId !== orderId));
  expect(orders.waits.map(({ reason }) => reason)).not.toContain('NO_DROPOFF_LOCATION');
});

test('a request after a change always sees the change, even just after another request', async () => {
  const countOf = ({ orders }: OverviewAnswer) => orders.states.find(({ state }) => state === 'VALIDATED')?.count ?? 0;
  const before = countOf(await look());
  const orderId = await place('just-now');
  expect(countOf(await look())).toBe(before + 1);
  const cancellation = { reasonId: 'OTHER', by: 'Restaurant', text: '' } as const;
  await service.app.changer.change({
    scope: 'everything',
    orderId,
    command: { name: 'cancel', cancellation },
    actor: { role: 'restaurant' },
  });
  expect(countOf(await look())).toBe(before);
});
