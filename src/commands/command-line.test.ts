import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand, runJson } from '../../test/processes/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/service/database.ts';
import { closedOutbox } from '../actions/orders/event-outbox.ts';
import { createOrderPlacer } from '../actions/orders/place-order.ts';
import { readOrderRequest } from '../contract/integrator/orders/request.ts';
import { createPlatform } from '../platform.ts';
import { openDatabase, type Database } from '../store/database/database.ts';
import { insertPlacedOrders } from '../store/orders/writes.ts';
import { findRestaurantByProviderId } from '../store/restaurants/restaurants.ts';
import { COMMANDS } from './command-line.ts';

let database: TestDatabase;
let db: Database;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url });
  env = { DATABASE_URL: database.url, WAYBILL_MASTER_KEY: randomBytes(32).toString('base64') };
  await runJson(env, [
    'restaurant',
    'add',
    '--name',
    'Kebap',
    '--restaurant-id',
    'R1',
    '--timezone',
    'Europe/Istanbul',
  ]);
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

const run = (...args: string[]) => runCommand(env, args);
const json = (...args: string[]) => runJson(env, args);

/** Each test gets its own restaurant, so that tests do not affect each other. */
async function addRestaurant(): Promise<string> {
  const restaurantId = `R-${randomBytes(4).toString('hex')}`;
  await json('restaurant', 'add', '--name', 'N', '--restaurant-id', restaurantId);
  return restaurantId;
}

async function placeOrder(restaurantId: string): Promise<string> {
  const restaurant = await findRestaurantByProviderId(db, restaurantId);
  const content = { orderId: `o-${randomBytes(4).toString('hex')}`, restaurantId };
  const reading = readOrderRequest(content, { environment: 'live' });
  if (restaurant === undefined || !reading.ok) throw new Error('the test order was not accepted');
  const placer = createOrderPlacer({ ...createPlatform(), db, outbox: closedOutbox, insertPlaced: insertPlacedOrders });
  const sent = { orderId: content.orderId, content, contentBytes: Buffer.from(JSON.stringify(content)) };
  const result = await placer.place({ restaurant, ...sent, wantedAt: null, ...reading });
  if (result.kind === 'refused') throw new Error(result.refusal.code);
  return result.order.serviceOrderId;
}

describe('output', () => {
  test('with --json, stdout is exactly one JSON document and stderr is empty', async () => {
    const { code, stdout, stderr } = await run('restaurant', 'list', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ restaurants: expect.arrayContaining([]) });
  });

  test('without --json, output is human-readable lines', async () => {
    const { code, stdout } = await run('key', 'create', '--restaurant', 'R1');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^API key created\..*\n {2}apiKey +wb_live_\w{43}\n/);
  });

  test('an error is one sentence on stderr with exit code 1', async () => {
    const plain = await run('key', 'create', '--restaurant', 'R8');
    expect(plain).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^There is no restaurant with the id "R8"\.\n$/),
    });
    const asJson = await run('key', 'create', '--restaurant', 'R8', '--json');
    expect(asJson).toMatchObject({ code: 1, stdout: '' });
    expect(JSON.parse(asJson.stderr)).toEqual({
      error: expect.stringContaining('There is no restaurant with the id "R8"'),
    });
  });

  test.each([
    [['key', 'create'], '--restaurant is required.'],
    [['key', 'create', '--restaurant', ''], '--restaurant must not be empty.'],
    [['key', 'create', '--restaurant', 'R1', '--expires', 'soon'], '--expires must look like 90d, 12h, 30m or never.'],
    [['key', 'create', '--restaurant', 'R1', '--expires', '99999w'], '--expires must look like'],
    [['key', 'create', '--restaurant', 'R1', '--frobnicate'], "Unknown option '--frobnicate'."],
    [['key', 'create', '--restaurant'], '--restaurant needs a value.'],
    [['key', 'create', 'R1', '--restaurant', 'R1'], 'Unexpected argument "R1".'],
    [['key', 'revoke'], 'Give either the key id'],
    [['key', 'revoke', 'x', '--prefix', 'y'], 'Give either the key id'],
    [['webhook', 'set', '--restaurant', 'R1'], 'Give --status-url, --cancel-url or both.'],
    [['delivery', 'resend'], 'Give either one webhook id'],
    [['delivery', 'resend', 'x', '--count'], 'Give either one webhook id'],
    [['delivery', 'resend', '--restaurant', 'R1', '--since', 'noon'], '--since must look like 2h'],
    [['webhook', 'secret', '--restaurant', 'R1', '--switch', '--remove'], '--switch and --remove cannot be combined'],
    [['restaurant', 'add', '--name', 'N', '--restaurant-id', 'R', '--lat', 'x'], '--lat must be a number'],
    [
      ['restaurant', 'add', '--name', 'N', '--restaurant-id', 'R', '--opening-hours', '{'],
      '--opening-hours must be valid JSON.',
    ],
    [['restaurant', 'set', '--restaurant', 'R1', '--auto-approve', 'yes'], '--auto-approve must be on or off.'],
    [['order', 'do', 'x'], '<step> is required.'],
    [['order', 'do', 'x', 'eat'], '<step> must be one of approve,'],
    [['order', 'cancel', 'x', '--reason', 'BORED', '--by', 'System'], '--reason must be one of'],
    [['order', 'cancel', 'x', '--reason', 'OTHER', '--by', 'Customer'], '--by must be one of'],
    [['user', 'add', '--email', 'a@example.com', '--role', 'king'], '--role must be one of'],
  ])('%j is a usage error: exit code 2 and the usage line', async (args, message) => {
    const plain = await run(...args);
    expect(plain).toMatchObject({ code: 2, stdout: '' });
    expect(plain.stderr).toContain(message);
    expect(plain.stderr).toContain(`Usage: ${args.slice(0, 2).join(' ')} `);
    const asJson = await run(...args, '--json');
    expect(asJson.code).toBe(2);
    expect(JSON.parse(asJson.stderr)).toEqual({ error: expect.stringContaining(message), usage: expect.any(String) });
  });

  test.each([[[]], [['dance']], [['restaurant']], [['restaurant', 'dance']], [['--json']]])(
    'unknown command: %j',
    async (args) => {
      expect(await runCommand(env, args)).toMatchObject({ code: 2, stdout: '' });
    },
  );

  test('a misspelled setting is reported in text output but not in JSON output', async () => {
    const misspelled = { ...env, WAYBILL_PROT: '80' };
    const plain = await runCommand(misspelled, ['restaurant', 'list']);
    expect(plain).toMatchObject({ code: 0, stderr: expect.stringContaining('WAYBILL_PROT') });
    expect(await runCommand(misspelled, ['restaurant', 'list', '--json'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('invalid settings stop every command, with one sentence for each', async () => {
    const wrong = await runCommand({ WAYBILL_PORT: 'x', WAYBILL_DEMO: 'x' }, ['restaurant', 'list', '--json']);
    expect(wrong.code).toBe(1);
    expect(JSON.parse(wrong.stderr)).toEqual({
      error: 'WAYBILL_PORT must be a whole number from 0 to 65535.\nWAYBILL_DEMO must be on or off.',
    });
  });

  test('an unreachable database is reported in one sentence', async () => {
    const away = { ...env, DATABASE_URL: 'postgresql://127.0.0.1:1/none' };
    const { code, stderr } = await runCommand(away, ['restaurant', 'list', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toEqual({ error: expect.stringContaining('ECONNREFUSED') });
  });

  test('a master key that does not match the database is rejected', async () => {
    const wrong = { ...env, WAYBILL_MASTER_KEY: randomBytes(32).toString('base64') };
    const { code, stderr } = await runCommand(wrong, ['key', 'create', '--restaurant', 'R1']);
    expect(code).toBe(1);
    expect(stderr).toContain('a different master key');
  });

  test('external text cannot send escape codes to the terminal', async () => {
    const restaurantId = await addRestaurant();
    await db.query(`update restaurants set name = E'\\x1b[31m\\u009b31m' where provider_restaurant_id = $1`, [
      restaurantId,
    ]);
    for (const options of [[], ['--json']]) {
      const { stdout } = await run('restaurant', 'list', ...options);
      // oxlint-disable-next-line no-control-regex
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
    }
    const { restaurants } = await json('restaurant', 'list');
    expect(restaurants).toContainEqual(expect.objectContaining({ name: '\u001B[31m\u009B31m' }));
  });
});

describe('help', () => {
  test('lists every command', async () => {
    const { code, stdout } = await run('help');
    expect(code).toBe(0);
    for (const { name, summary } of COMMANDS) {
      expect(stdout).toContain(`
  ${name}`);
      expect(stdout).toContain(summary);
    }
    expect(JSON.parse((await run('--help', '--json')).stdout).commands).toHaveLength(COMMANDS.length);
  });

  test.each(COMMANDS.map((command) => command.name))('%s has its own help', async (name) => {
    const { code, stdout } = await run(...name.split(' '), '--help');
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: ${name}`);
    expect((await run('help', ...name.split(' '))).stdout).toBe(stdout);
  });
});

describe('administration', () => {
  test('restaurant add, set and list', async () => {
    const added = await json(
      'restaurant',
      'add',
      '--name',
      'Sushi',
      '--restaurant-id',
      'S1',
      '--timezone',
      'Australia/Sydney',

      '--lat',
      '-33.8688',
      '--lng=151.2093',
      '--auto-approve',
      '--rate-limit',
      '12',
      '--contact-email',
      'a@b.example',
      '--phone',
      '+61 2 5550 0123',
      '--courier-wait-minutes',
      '30',
      '--delivery-metadata',
      '--approval-limit-minutes',
      '9',
    );
    expect(added).toMatchObject({
      restaurantId: 'S1',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Sushi',
      timezone: 'Australia/Sydney',
      latitude: -33.8688,
      longitude: 151.2093,
      autoApprove: true,
      rateLimitPerMinute: 12,
      contactEmail: 'a@b.example',
      phone: '+61 2 5550 0123',
      courierWaitLimitMinutes: 30,
      deliveryMetadata: true,
      approvalLimitMinutes: 9,
    });
    const hours = JSON.stringify({ weekly: [[{ from: '09:00', to: '17:30' }], [], [], [], [], [], []] });
    const set = await json(
      'restaurant',
      'set',
      '--restaurant',
      'S1',
      '--auto-approve',
      'off',
      '--opening-hours',
      hours,
      '--approval-limit-minutes',
      '0',
      '--name',
      'Sushi 2',
    );
    expect(set).toMatchObject({
      name: 'Sushi 2',
      autoApprove: false,
      approvalLimitMinutes: null,
      openingHours: { weekly: [[{ from: '09:00', to: '17:30' }], [], [], [], [], [], []], exceptions: [] },
    });
    const bad = await run('restaurant', 'set', '--restaurant', 'S1', '--opening-hours', '{"weekly":[]}');
    expect(bad).toMatchObject({ code: 1, stderr: expect.stringContaining('seven lists') });
    const { restaurants } = await json('restaurant', 'list');
    expect(restaurants).toContainEqual(set);
  });

  test('key create, list and revoke', async () => {
    const restaurant = await addRestaurant();
    const key = await json('key', 'create', '--restaurant', restaurant);
    expect(key).toEqual({
      apiKey: expect.stringMatching(/^wb_live_/),
      keyId: expect.any(String),
      prefix: String(key['apiKey']).slice(0, 12),
      expiresAt: expect.stringMatching(/^\d{4}-/),
    });
    const days = (Date.parse(String(key['expiresAt'])) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThanOrEqual(90);
    expect(await json('key', 'create', '--restaurant', restaurant, '--expires', 'never')).toMatchObject({
      expiresAt: null,
    });
    const test = await runJson({ ...env, WAYBILL_ENVIRONMENT: 'test' }, ['key', 'create', '--restaurant', restaurant]);
    expect(test).toMatchObject({ apiKey: expect.stringMatching(/^wb_test_/) });
    const forced = await json('key', 'create', '--restaurant', restaurant, '--environment', 'test');
    expect(forced).toMatchObject({ apiKey: expect.stringMatching(/^wb_test_/) });

    await json('key', 'revoke', '--restaurant', restaurant, '--prefix', String(key['prefix']));
    await json('key', 'revoke', String(test['keyId']));
    const { keys } = await json('key', 'list', '--restaurant', restaurant);
    expect(keys).toMatchObject([
      { keyId: key['keyId'], revokedAt: expect.any(String) },
      { revokedAt: null },
      { keyId: test['keyId'], environment: 'test', revokedAt: expect.any(String) },
      { revokedAt: null },
    ]);
    expect(JSON.stringify(keys)).not.toContain(String(key['apiKey']));
  });

  test('basic create, list and revoke', async () => {
    const restaurant = await addRestaurant();
    const { username, password } = await json('basic', 'create', '--restaurant', restaurant);
    expect(password).toMatch(/^\w{43}$/);
    await json('basic', 'revoke', '--restaurant', restaurant, '--username', String(username));
    const { credentials } = await json('basic', 'list', '--restaurant', restaurant);
    expect(credentials).toMatchObject([{ username, revokedAt: expect.any(String) }]);
  });

  test('webhook set, secret and show; integration enable and disable', async () => {
    const restaurant = await addRestaurant();
    const on = ['--restaurant', restaurant];
    const url = 'https://hooks.example.com/s';
    expect(await json('webhook', 'set', ...on, '--status-url', url)).toEqual({
      restaurantId: restaurant,
      statusUrl: url,
      cancelUrl: null,
      released: 0,
    });
    expect(await json('webhook', 'set', ...on, '--cancel-url', url, '--status-url', '')).toMatchObject({
      statusUrl: null,
      cancelUrl: url,
    });
    const refused = await run('webhook', 'set', ...on, '--status-url', 'http://hooks.example.com');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('https://') });

    const first = await json('webhook', 'secret', ...on);
    expect(first).toMatchObject({ secret: expect.stringMatching(/^whsec_/), state: 'active' });
    const second = await json('webhook', 'secret', ...on);
    expect(second).toMatchObject({ secret: expect.stringMatching(/^whsec_/), state: 'pending' });
    expect(await run('webhook', 'secret', ...on)).toMatchObject({ code: 1 });
    expect(await json('webhook', 'secret', ...on, '--switch')).toEqual({
      secretId: second['secretId'],
      state: 'active',
    });

    expect(await json('integration', 'disable', ...on)).toMatchObject({ integrationEnabled: false });
    expect(await json('webhook', 'show', ...on)).toMatchObject({
      integrationEnabled: false,
      held: 0,
      endpoints: [
        { endpoint: 'status', url: null },
        { endpoint: 'cancel', url },
      ],
      secrets: [{ secretId: second['secretId'], state: 'active' }],
    });
    expect(await json('integration', 'enable', ...on)).toMatchObject({ integrationEnabled: true, released: 0 });
    expect(await json('webhook', 'secret', ...on, '--remove')).toMatchObject({ removed: 'active' });
  });

  test('courier add, duty and list', async () => {
    const name = `Ada ${randomBytes(4).toString('hex')}`;
    const courier = await json('courier', 'add', '--name', name, '--lat', '41', '--lng', '29');
    expect(courier).toMatchObject({ courierId: expect.any(String), name, onDuty: true });
    expect(await json('courier', 'duty', name, 'off')).toMatchObject({ onDuty: false });
    const { couriers } = await json('courier', 'list');
    expect(couriers).toContainEqual({ ...courier, onDuty: false });
  });

  test('user add, password and list', async () => {
    const email = `${randomBytes(4).toString('hex')}@example.com`;
    const user = await json('user', 'add', '--email', email, '--role', 'operator');
    expect(user).toMatchObject({ email, role: 'operator', password: expect.stringMatching(/^[\w-]{23}$/) });
    expect((await json('user', 'password', '--email', email))['password']).not.toBe(user['password']);
    const { users } = await json('user', 'list');
    expect(users).toContainEqual(expect.objectContaining({ email, role: 'operator' }));
    expect(JSON.stringify(users)).not.toContain('argon2');
  });

  test('audit list shows the actor, and no client address for command-line actions', async () => {
    const restaurant = await addRestaurant();
    await json('key', 'create', '--restaurant', restaurant);
    const { entries } = await json('audit', 'list', '--restaurant', restaurant);
    expect(entries).toMatchObject([
      { action: 'api_key.created', actor: expect.stringMatching(/^command line/), clientAddress: null },
      { action: 'restaurant.added' },
    ]);
  });
});

describe('orders', () => {
  test('the commands can take an order through its whole life cycle', async () => {
    const restaurant = await addRestaurant();
    const courier = `Carl ${randomBytes(4).toString('hex')}`;
    const { courierId } = await json('courier', 'add', '--name', courier, '--restaurant', restaurant);
    const id = await placeOrder(restaurant);
    const steps: [args: string[], status: string][] = [
      [['approve'], 'VALIDATED'],
      [['route'], 'ROUTED'],
      [['select', '--courier', courier], 'ASSIGNED'],
      [['accept'], 'ACCEPTED'],
      [['prepare'], 'PREPARED'],
      [['pick_up'], 'ON_DELIVERY'],
      [['deliver'], 'DELIVERED'],
    ];
    for (const [args, status] of steps) {
      expect(await json('order', 'do', id, ...args)).toMatchObject({ serviceOrderId: id, status, changed: true });
    }
    expect(await json('order', 'do', id, 'deliver')).toMatchObject({ status: 'DELIVERED', changed: false });
    const shown = await json('order', 'show', id);
    expect(shown).toMatchObject({
      serviceOrderId: id,
      orderId: expect.stringMatching(/^o-/),
      restaurantId: restaurant,
      orderNumber: expect.stringMatching(/^\d+$/),
      status: 'DELIVERED',
      createdAt: expect.stringMatching(/^\d{4}-.*\+00:00$/),
      courier: { courierId, name: courier },
      cancellation: null,
    });
    const statuses = (shown['history'] as { status?: string }[]).map((entry) => entry.status).filter(Boolean);
    expect(statuses).toEqual(['NEW', ...steps.map(([, status]) => status)]);
    expect(shown['deliveries']).toHaveLength(7);
    const { deliveries } = await json('delivery', 'list', '--restaurant', restaurant);
    expect(deliveries).toHaveLength(7);
    expect(deliveries).toEqual((shown['deliveries'] as unknown[]).toReversed());
    expect((await json('delivery', 'list', '--restaurant', restaurant, '--limit', '2'))['deliveries']).toHaveLength(2);
  });

  test('without --courier, the least loaded courier on duty is chosen', async () => {
    const restaurant = await addRestaurant();
    await db.query('update couriers set on_duty = false');
    const [first, second] = [await placeOrder(restaurant), await placeOrder(restaurant)];
    await json('order', 'do', first, 'approve');
    await json('order', 'do', second, 'approve');
    const nobody = await run('order', 'do', first, 'assign');
    expect(nobody).toMatchObject({ code: 1, stderr: 'No courier is on duty. Add one with: courier add --name N\n' });
    const [ada, bob] = [await json('courier', 'add', '--name', 'A'), await json('courier', 'add', '--name', 'B')];
    expect(await json('order', 'do', first, 'assign')).toMatchObject({ courierId: ada['courierId'] });
    expect(await json('order', 'do', second, 'assign')).toMatchObject({ courierId: bob['courierId'] });
    expect(await json('order', 'do', first, 'assign')).toMatchObject({ courierId: ada['courierId'], changed: false });
  });

  test('a step that is not allowed is rejected with the current state', async () => {
    const id = await placeOrder(await addRestaurant());
    expect(await run('order', 'do', id, 'route')).toMatchObject({
      code: 1,
      stderr: 'Cannot route. The order is NEW.\n',
    });
    expect(await run('order', 'do', id, 'accept')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no courier'),
    });
  });

  test.each([
    ['CUSTOMER_REQUEST', 'Restaurant', 'restaurant'],
    ['WRONG_ADDRESS', 'Courier', 'operator'],
    ['COURIER_NOT_AVAILABLE', 'System', 'system'],
  ])('%s by %s cancels on behalf of the %s', async (reason, by, actor) => {
    const id = await placeOrder(await addRestaurant());
    expect(await json('order', 'cancel', id, '--reason', reason, '--by', by, '--text', 'Çünkü')).toMatchObject({
      status: 'CANCELED',
      changed: true,
    });
    const shown = await json('order', 'show', id);
    expect(shown).toMatchObject({ cancellation: { cancelReasonId: reason, canceledBy: by, reason: 'Çünkü' } });
    expect(shown['history']).toContainEqual(expect.objectContaining({ status: 'CANCELED', actor }));
    expect(shown['deliveries']).toMatchObject([{ event: 'order.status_changed' }, { event: 'order.canceled' }]);
  });

  test.each(['assign', 'select'])('%s does not give an order to a courier who is off duty', async (step) => {
    const id = await placeOrder(await addRestaurant());
    for (const before of step === 'assign' ? ['approve'] : ['approve', 'route']) await json('order', 'do', id, before);
    const name = `Off ${randomBytes(4).toString('hex')}`;
    await json('courier', 'add', '--name', name);
    await json('courier', 'duty', name, 'off');
    expect(await run('order', 'do', id, step, '--courier', name)).toMatchObject({
      code: 1,
      stderr: `${name} is off duty. Put them on duty with: courier duty <courier> on\n`,
    });
    expect(await json('order', 'show', id)).toMatchObject({ courier: null });
  });

  test('a courier cancels on their own behalf, and a reason of another party is rejected', async () => {
    const id = await placeOrder(await addRestaurant());
    await json('courier', 'add', '--name', 'C');
    await json('order', 'do', id, 'approve');
    const { courierId } = await json('order', 'do', id, 'assign');
    const wrong = await run('order', 'cancel', id, '--reason', 'OUT_OF_STOCK', '--by', 'Courier');
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Courier cannot cancel with OUT_OF_STOCK'),
    });
    const offered = await run('order', 'cancel', id, '--reason', 'OTHER', '--by', 'Courier');
    expect(offered).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('can decline the offer, but cannot cancel'),
    });
    await json('order', 'do', id, 'accept');
    await json('order', 'cancel', id, '--reason', 'OTHER', '--by', 'Courier');
    const { history } = await json('order', 'show', id);
    expect(history).toContainEqual(
      expect.objectContaining({ status: 'CANCELED', actor: `courier:${String(courierId)}` }),
    );
  });

  test.each(['nonsense', '01890000-0000-7000-8000-000000000000'])('an order is not found: %s', async (id) => {
    for (const args of [
      ['show', id],
      ['do', id, 'approve'],
      ['cancel', id, '--reason', 'OTHER', '--by', 'Courier'],
    ]) {
      expect(await run('order', ...args)).toMatchObject({ code: 1, stderr: 'No such order.\n' });
    }
    expect(await run('delivery', 'resend', id)).toMatchObject({ code: 1 });
  });

  test('a resent held delivery stays held, and is sent once when a URL is set', async () => {
    const restaurant = await addRestaurant();
    const id = await placeOrder(restaurant);
    await json('order', 'do', id, 'approve');
    const { deliveries } = await json('delivery', 'list', '--restaurant', restaurant);
    expect(deliveries).toMatchObject([{ state: 'held', attempts: 0 }]);
    const [{ id: eventId }] = deliveries as [{ id: string }];
    expect(await json('delivery', 'resend', eventId)).toEqual({ id: eventId, result: 'held' });
    const set = await json('webhook', 'set', '--restaurant', restaurant, '--status-url', 'https://hooks.example.com/');
    expect(set).toMatchObject({ released: 1 });
    expect(await json('delivery', 'resend', eventId)).toEqual({ id: eventId, result: 'queued' });
  });

  test('failed deliveries since a given time are counted, then resent; a single one can be discarded', async () => {
    const restaurant = await addRestaurant();
    await json('webhook', 'set', '--restaurant', restaurant, '--status-url', 'https://hooks.example.com/');
    const orders = [await placeOrder(restaurant), await placeOrder(restaurant)];
    for (const id of orders) await json('order', 'do', id, 'approve');
    const own = `restaurant_id = (select id from restaurants where provider_restaurant_id = '${restaurant}')`;
    await db.query(`update deliveries set failures = 1, attempts = 1, due_at = now() + interval '1 day' where ${own}`);
    const since = ['--restaurant', restaurant, '--since', '1h'];
    expect(await json('delivery', 'resend', ...since, '--count')).toMatchObject({ count: 2 });
    expect(await db.query(`select from deliveries where due_at <= now() and ${own}`)).toHaveLength(0);
    const future = ['--restaurant', restaurant, '--since', '2999-01-01T00:00:00Z'];
    expect(await json('delivery', 'resend', ...future)).toMatchObject({ count: 0 });
    expect(await json('delivery', 'resend', ...since)).toMatchObject({ count: 2 });
    expect(await db.query(`select from deliveries where due_at <= now() and ${own}`)).toHaveLength(2);

    const { deliveries } = await json('delivery', 'list', '--restaurant', restaurant);
    const [{ id }] = deliveries as [{ id: string }];
    expect(await json('delivery', 'discard', id)).toEqual({ id, discarded: true });
    expect(await run('delivery', 'discard', id)).toMatchObject({ code: 1 });
    const after = await json('delivery', 'list', '--restaurant', restaurant);
    expect(after['deliveries']).toMatchObject([{ id, state: 'discarded' }, { state: 'waiting' }]);
  });
});

describe('backup and restore', () => {
  test('an installation can be moved to another database', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'waybill-move-'));
    const target = await createTestDatabase();
    try {
      const file = path.join(folder, 'b.gz');
      const there = { ...env, DATABASE_URL: target.url };
      const { stdout, stderr } = await run('backup', file, '--json');
      expect(stderr).toBe('');
      const written: Record<string, unknown> = JSON.parse(stdout);
      expect(written).toMatchObject({ file, rows: expect.any(Number) });
      expect(await run('backup', file)).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists') });

      const wrongKey = { ...there, WAYBILL_MASTER_KEY: randomBytes(32).toString('base64') };
      const refused = await runCommand(wrongKey, ['restore', file]);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('a different master key') });

      const served = openDatabase({ url: target.url });
      await served.query('insert into nodes (backend_pid) values (pg_backend_pid())');
      const running = await runCommand(there, ['restore', file]);
      expect(running).toMatchObject({ code: 1, stderr: 'The service is running on this database. Stop it first.\n' });
      await served.query('delete from nodes');
      await served.close();

      expect(await runJson(there, ['restore', file])).toMatchObject({ rows: written['rows'] });
      expect(await runJson(there, ['restaurant', 'list'])).toEqual(await json('restaurant', 'list'));
      expect(await runCommand(there, ['restore', file])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('not empty'),
      });
    } finally {
      await target.drop();
      await rm(folder, { recursive: true });
    }
  });
});

test('migrate reports what it did', async () => {
  expect(await json('migrate')).toEqual({ applied: [] });
});

test('the executable passes on arguments, output and exit code', async () => {
  const main = path.join(import.meta.dirname, '..', 'main.ts');
  const start = (...args: string[]) =>
    new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) => {
        resolve({ code: error?.code ?? 0, stdout, stderr });
      });
    });
  const { code, stdout } = await start('restaurant', 'list', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ restaurants: expect.any(Array) });
  expect(await start('dance')).toMatchObject({ code: 2, stdout: '' });
  expect(await start('key', 'list', '--restaurant', 'R8')).toMatchObject({ code: 1, stdout: '' });
});
