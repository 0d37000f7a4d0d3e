import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addCourier } from '../../src/actions/couriers/add-courier.ts';
import type { Place } from '../../src/domain/geo.ts';
import type { Command } from '../../src/domain/orders/order.ts';
import { MINUTE_MS } from '../../src/domain/time.ts';
import { savePosition } from '../../src/store/couriers/positions.ts';
import { raiseAlarm } from '../../src/store/planning/alarms.ts';
import { saveOrderPlans, type OrderPlan } from '../../src/store/planning/plans.ts';
import { startPanelService, useChromium, type SignedInVisit } from '../browser/browser.ts';
import type { Screen } from '../../harness/browser/chromium.ts';
import { addLogin } from '../../harness/service/panel-client.ts';
import { sampleOrder } from '../scenes/sample-order.ts';
import { startService, type TestRestaurant, type TestService } from '../../harness/service/service.ts';

const HOME = { latitude: 40.9876, longitude: 29.0301 };
const SCREENS: readonly Screen[] = ['desktop', 'phone'];

let service: TestService;
let fontana: TestRestaurant;
let atelier: TestRestaurant;
let ada: string;
const { visitAs, visitWith } = useChromium();
const orders: Record<'carried' | 'planned' | 'waiting' | 'foreign', { id: string; number: string }> = {
  carried: { id: '', number: '' },
  planned: { id: '', number: '' },
  waiting: { id: '', number: '' },
  foreign: { id: '', number: '' },
};

/** One late order that is on its way, one planned, one that waits with an alarm, and one of another restaurant. */
beforeAll(async () => {
  service = await startPanelService({ roles: ['api'] });
  fontana = await service.addRestaurant({ name: 'Trattoria Fontana', autoApprove: true, ...HOME });
  atelier = await service.addRestaurant({ name: 'Burger Atelier', autoApprove: true, ...HOME });
  ada = await service.addCourier('Ada Lovelace');
  const bo = await service.addCourier('Bo Larsen');
  orders.carried = await place(fontana, { latitude: 40.995, longitude: 29.04 });
  orders.planned = await place(fontana, { latitude: 40.98, longitude: 29.02 });
  orders.waiting = await place(fontana, undefined);
  orders.foreign = await place(atelier, { latitude: 40.981, longitude: 29.036 });
  await carry(orders.carried.id, ada, ['accept', 'prepare', 'pick_up']);
  await carry(orders.foreign.id, ada, ['accept']);
  const now = service.app.clock.now();
  const soon = { pickupAt: now + 4 * MINUTE_MS, dropoffAt: now + 12 * MINUTE_MS };
  await plan([
    { orderId: orders.carried.id, courierId: ada, dropoffPlace: 2, dropoffAt: now + 80 * MINUTE_MS },
    { orderId: orders.foreign.id, courierId: ada, pickupPlace: 0, dropoffPlace: 1, ...soon },
    {
      orderId: orders.planned.id,
      courierId: bo,
      pickupPlace: 0,
      dropoffPlace: 1,
      ...soon,
      explanation: {
        kind: 'placed',
        courierId: bo,
        extraCost: 252,
        nextBest: { courierId: ada, extraCost: 90 },
        offerAt: new Date(now + MINUTE_MS).toISOString(),
      },
    },
    { orderId: orders.waiting.id, explanation: { kind: 'waiting', reason: 'NO_DROPOFF_LOCATION', until: null } },
  ]);
  const alarm = { orderId: orders.waiting.id, courierId: null, detail: 'Nobody will be there in time.', raisedAt: now };
  await raiseAlarm(service.app.db, { ...alarm, kind: 'NO_COURIER_IN_TIME' });
  await report({ latitude: 40.99, longitude: 29.035 });
});
afterAll(() => service.stop());

async function place(restaurant: TestRestaurant, location: object | undefined) {
  const dropoff = { address: { line1: 'Moda Caddesi 12' }, ...(location && { location }) };
  const answer = await service.post(restaurant, { ...sampleOrder(), timing: {}, dropoff });
  const { serviceOrderId: id, orderNumber: number } = (await answer.json()) as Record<string, string>;
  return { id: id ?? '', number: String(number) };
}

async function carry(orderId: string, courierId: string, steps: ('accept' | 'prepare' | 'pick_up')[]): Promise<void> {
  const commands: Command[] = [{ name: 'assign', courierId }, ...steps.map((name) => ({ name }))];
  for (const command of commands) {
    const isCourier = command.name === 'accept' || command.name === 'pick_up';
    const actor = isCourier ? ({ role: 'courier', courierId } as const) : ({ role: 'restaurant' } as const);
    expect((await service.app.changer.change({ scope: 'everything', orderId, command, actor })).kind).toBe('changed');
  }
}

async function plan(plans: (Partial<OrderPlan> & { orderId: string })[]): Promise<void> {
  const none = { courierId: null, pickupPlace: null, dropoffPlace: null, pickupAt: null, dropoffAt: null };
  const whole = plans.map((one) => ({ ...none, explanation: null, ...one }));
  await saveOrderPlans(service.app.db, whole, service.app.clock.now());
}

async function hire(name: string, waitsAt: Place): Promise<string> {
  const profile = { name, phone: null, ...waitsAt, restaurantId: fontana.id, onDuty: true };
  const added = await addCourier(service.app, { ...profile, actor: { name: 'test' } });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  return added.courier.id;
}

let reports = 0;

/** Reports are 5 seconds apart, because more frequent ones are ignored. */
async function report(to: Place, courierId = ada): Promise<void> {
  reports += 1;
  const reportedAt = service.app.clock.now() + reports * 5_000;
  expect(await savePosition(service.app.db, { courierId, ...to, reportedAt })).toBe(true);
}

const listed = (page: Page, { number }: { number: string }) => page.getByRole('button', { name: `#${number}` });
const chosen = (page: Page, { number }: { number: string }) =>
  page.getByRole('region', { name: `Order ${number} on the map` });
const marker = (page: Page, name: string) => page.getByRole('img', { name });

async function horizontalPlaceOf(page: Page, name: string): Promise<number> {
  return Math.round((await marker(page, name).boundingBox())?.x ?? -1);
}

describe.for(SCREENS)('on a %s', (screen) => {
  test('a restaurant sees who carries what, how late, and why, on list and map, and nothing of other restaurants', async () => {
    const page = await visitAs(service, { role: 'staff', restaurant: fontana, at: '/map', screen });
    await marker(page, 'Trattoria Fontana').waitFor();
    await page.getByText('No street map').waitFor();
    const late = listed(page, orders.carried);
    await expect.poll(() => late.textContent()).toMatch(/\d+ min late.*On delivery.*Ada Lovelace, accepted/);
    expect(await listed(page, orders.planned).textContent()).toMatch(/On time.*A courier, planned.*Pickup .*Drop-off /);
    // A pool courier who does not carry anything for this restaurant yet.
    expect(await page.getByText('Bo Larsen').count()).toBe(0);
    expect(await listed(page, orders.waiting).textContent()).toMatch(/No courier yet.*No courier in time/);
    expect(await page.getByText(orders.foreign.number).count()).toBe(0);
    expect(await page.getByText('Burger Atelier').count()).toBe(0);

    await listed(page, orders.planned).focus();
    await page.keyboard.press('Enter');
    const panel = chosen(page, orders.planned);
    await panel.getByText('Planned for a courier').waitFor();
    await panel.getByText('Ada Lovelace', { exact: true }).waitFor();
    expect(await panel.getByText(/\d min/).count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('order')).toBe(orders.planned.id);
    await panel.getByRole('button', { name: 'Back to list' }).press('Enter');
    await listed(page, orders.planned).and(page.locator(':focus')).waitFor();

    await page.getByRole('tab', { name: 'Couriers 1' }).click();
    const stops = page.getByRole('list', { name: 'Stops of Ada Lovelace' }).getByRole('listitem');
    expect(await stops.allTextContents()).toEqual([expect.stringMatching(`^Drop-off #${orders.carried.number}`)]);
  });

  test('the operator sees every restaurant, selects on the map, and sees why an order waits', async () => {
    const page = await visitAs(service, { role: 'operator', at: '/operator/map', screen });
    for (const name of ['Trattoria Fontana', 'Burger Atelier']) await marker(page, name).waitFor();
    await page.getByText('Set WAYBILL_MAP_STYLE_URL').waitFor();
    await listed(page, orders.foreign).waitFor();
    await page.getByRole('application').getByText(`#${orders.planned.number}`).click();
    await chosen(page, orders.planned).getByRole('button', { name: 'Move to courier' }).waitFor();
    await page.getByRole('button', { name: 'Back to list' }).click();
    await page.getByLabel('Search list').fill(orders.waiting.number);
    await listed(page, orders.waiting).click();
    const panel = chosen(page, orders.waiting);
    await panel.getByText('The drop-off has no coordinates.', { exact: false }).waitFor();
    await panel.getByRole('alert').getByText('Nobody will be there in time.').waitFor();
  });
});

test('courier positions and order changes appear on the map without a reload, including a courier’s first report', async () => {
  const cem = await hire('Cem Usta', { latitude: 40.985, longitude: 29.045 });
  const page = await visitAs(service, { role: 'owner', restaurant: fontana, at: '/map' });
  await marker(page, 'Ada Lovelace').waitFor();
  const state = listed(page, orders.planned);
  await state.getByText('Approved').waitFor();
  const before = await horizontalPlaceOf(page, 'Ada Lovelace');
  await marker(page, 'Cem Usta, Bicycle. Usual location, not reported yet').waitFor();
  await report({ latitude: 40.99, longitude: 29.03 });
  await report({ latitude: 40.985, longitude: 29.04 }, cem);
  await expect.poll(() => horizontalPlaceOf(page, 'Ada Lovelace')).toBeLessThan(before - 20);
  await marker(page, 'Cem Usta, Bicycle. Last seen ').waitFor();
  const command = { name: 'prepare' } as const;
  await service.app.changer.change({
    scope: 'everything',
    orderId: orders.planned.id,
    command,
    actor: { role: 'restaurant' },
  });
  await state.getByText('Prepared').waitFor();
});

test('when the browser cannot draw maps, the list shows the same information', async () => {
  const login = await addLogin(service, 'owner', { restaurant: fontana });
  const page = await visitWith(login, `${service.address}/account`);
  await page.addInitScript('HTMLCanvasElement.prototype.getContext = () => null');
  await page.goto(`${service.address}/map`);
  await page.getByText("The map isn't available because this browser").waitFor();
  await listed(page, orders.carried).click();
  await chosen(page, orders.carried).getByText('Accepted by Ada Lovelace').waitFor();
});

describe('with a custom map style', () => {
  let tiles: Server;
  let origin: string;
  const asked: string[] = [];

  beforeAll(async () => {
    tiles = createServer((request, answer) => {
      asked.push(request.url ?? '');
      const isThere = request.url !== '/missing.json';
      answer.writeHead(isThere ? 200 : 404, { 'content-type': 'application/json', 'access-control-allow-origin': '*' });
      answer.end(JSON.stringify(request.url === '/style.json' ? STYLE : { type: 'FeatureCollection', features: [] }));
    });
    await new Promise<void>((resolve) => tiles.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(tiles.address() as AddressInfo).port}`;
  });
  afterAll(() => tiles.close());

  const STYLE = {
    version: 8,
    sources: { streets: { type: 'geojson', data: 'streets.json' } },
    layers: [{ id: 'streets', type: 'line', source: 'streets' }],
  };

  const AS_OWNER = (): SignedInVisit => ({ role: 'owner', restaurant: fontana, at: '/map' });

  async function lookWith(style: string, visit = AS_OWNER()): Promise<{ page: Page; stop: () => Promise<void> }> {
    const { databaseUrl, masterKey } = service;
    const config = { mapStyleUrl: `${origin}/${style}` };
    const other = await startService({ databaseUrl, masterKey, roles: ['api'], config });
    const page = await visitAs(other, visit);
    await marker(page, visit.role === 'courier' ? 'Burger Atelier' : 'Trattoria Fontana').waitFor();
    const stop = async (): Promise<void> => {
      await page.close();
      await other.stop();
    };
    return { page, stop };
  }

  test('the map loads the style and its resources from their origin, despite the page’s content security policy', async () => {
    STYLE.sources.streets.data = `${origin}/streets.json`;
    const { page, stop } = await lookWith('style.json');
    await expect.poll(() => asked).toEqual(expect.arrayContaining(['/style.json', '/streets.json']));
    expect(await page.getByText('No street map').count()).toBe(0);
    await stop();
  });

  test('a courier sees the same street map, and the plain map when it is unavailable', async () => {
    STYLE.sources.streets.data = `${origin}/streets.json`;
    for (const style of ['style.json', 'missing.json']) {
      asked.length = 0;
      const { stop } = await lookWith(style, { role: 'courier', courier: ada, screen: 'phone' });
      expect(asked).toContain(`/${style}`);
      await stop();
    }
  });

  test('when the style cannot be loaded, the plain map replaces it and a message says so', async () => {
    const { page, stop } = await lookWith('missing.json');
    await page.getByText("Couldn't load the street map").waitFor();
    await stop();
  });
});

describe('an order in another time zone, assigned by the planner', () => {
  const ZONE = 'America/New_York';
  let order: { id: string; number: string };
  let pickupAt: number;
  const timeIn = (timeZone: string, at: number): string =>
    new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone }).format(at);

  beforeAll(async () => {
    const hudson = await service.addRestaurant({ name: 'Hudson Diner', autoApprove: true, timeZone: ZONE, ...HOME });
    const cora = await service.addCourier('Cora Reyes');
    order = await place(hudson, { latitude: 40.99, longitude: 29.02 });
    const now = service.app.clock.now();
    pickupAt = now + 6 * MINUTE_MS;
    const nextBest = { courierId: cora, extraCost: 90 };
    const offerAt = new Date(now).toISOString();
    await plan([
      {
        orderId: order.id,
        courierId: ada,
        pickupPlace: 3,
        dropoffPlace: 4,
        pickupAt,
        dropoffAt: now + 15 * MINUTE_MS,
        explanation: { kind: 'placed', courierId: ada, extraCost: 252, nextBest, offerAt },
      },
    ]);
    const { change } = service.app.changer;
    const planner = { role: 'planner' } as const;
    await change({ scope: 'everything', orderId: order.id, command: { name: 'route' }, actor: planner });
    await change({
      scope: 'everything',
      orderId: order.id,
      command: { name: 'select', courierId: ada },
      actor: planner,
    });
    await change({
      scope: 'everything',
      orderId: order.id,
      command: { name: 'accept' },
      actor: { role: 'courier', courierId: ada },
    });
  });

  test.for(SCREENS)(
    'still shows after acceptance why this courier was chosen and who was next best, on a %s',
    async (screen) => {
      const page = await visitAs(service, { role: 'operator', at: `/operator/map?order=${order.id}`, screen });
      const onMap = chosen(page, order);
      await onMap.getByText('Accepted by Ada Lovelace').waitFor();
      await page.getByRole('link', { name: 'View order' }).waitFor();
      const said = async () => {
        await page.getByText('Chosen because this courier adds the least delay.').waitFor();
        await page.getByText('4.2 min', { exact: true }).waitFor();
        await page.getByText('Cora Reyes, 1.5 min more').waitFor();
      };
      await said();
      await page.getByRole('link', { name: 'View order' }).click();
      await page.getByRole('heading', { name: `#${order.number}` }).waitFor();
      await said();
      await page.goto(`${service.address}/operator/map?order=${orders.carried.id}`);
      await chosen(page, orders.carried).getByText('Assigned manually.').waitFor();
    },
  );

  test('shows its times in its own zone everywhere in the console, and other orders in theirs', async () => {
    const page = await visitAs(service, { role: 'operator', at: '/operator/map' });
    const there = timeIn(ZONE, pickupAt);
    await expect.poll(() => listed(page, order).textContent()).toMatch(new RegExp(`Pickup ${there} .*GMT−[45]`));
    expect(await listed(page, orders.foreign).textContent()).toMatch(/Pickup \d\d:\d\d .*GMT\+3/);
    await page.getByRole('tab', { name: /Couriers/ }).click();
    const stops = page.getByRole('list', { name: 'Stops of Ada Lovelace' }).getByRole('listitem');
    const read = (await stops.allTextContents()).join('\n');
    expect(read).toMatch(new RegExp(`Pickup #${order.number}${there} GMT−[45]`));
    expect(read).toMatch(new RegExp(`Pickup #${orders.foreign.number}\\d\\d:\\d\\d GMT\\+3`));
    await stops.getByText(`Pickup #${order.number}`).click();
    await chosen(page, order)
      .getByText(new RegExp(`^${there} GMT−[45]$`))
      .waitFor();
    // Both pickups are at the same location, and the other restaurant's comes first.
    await page
      .getByRole('application')
      .getByText(/\d\d:\d\d GMT\+3/)
      .first()
      .waitFor();
    await page
      .getByRole('application')
      .getByText(/\d\d:\d\d GMT−[45]/)
      .first()
      .waitFor();
  });
});
