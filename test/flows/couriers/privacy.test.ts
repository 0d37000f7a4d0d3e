// What a restaurant can learn about a pool courier by asking any number of times and from any location.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCourier } from '../../../src/actions/couriers/add-courier.ts';
import { reportPosition } from '../../../src/actions/couriers/report-position.ts';
import { candidatesAnswer } from '../../../src/contract/panel/planning/candidates.ts';
import { toSquare } from '../../../src/domain/couriers/privacy.ts';
import type { Place } from '../../../src/domain/geo.ts';
import { MINUTE_MS } from '../../../src/domain/time.ts';
import { createPlatform } from '../../../src/platform.ts';
import { savePhoto } from '../../../src/store/couriers/photos.ts';
import { raiseAlarm } from '../../../src/store/planning/alarms.ts';
import { saveOrderPlans } from '../../../src/store/planning/plans.ts';
import { signInAs, type Browser } from '../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';
import { createSimulatedClock } from '../../../harness/clocks/simulated.ts';

const KITCHEN = { latitude: 41, longitude: 29 };
const MIDDLE = toSquare({ latitude: 41.02, longitude: 29.03 });
/** All within one square of 2 km by 2 km, up to 2.4 km apart. */
const SPOTS: Place[] = [MIDDLE, nudge(0.8, 0.8), nudge(-0.8, -0.8), nudge(0.8, -0.8)];

// A stopped clock: over time, the lateness would move into another band.
const clock = createSimulatedClock(new Date().toISOString());

let service: TestService;
let restaurant: TestRestaurant;
let owner: Browser;
let operator: Browser;

beforeAll(async () => {
  service = await startService({ roles: ['api'], platform: createPlatform(undefined, clock) });
  restaurant = await service.addRestaurant({ autoApprove: true, preparationMinutes: 0, ...KITCHEN });
  owner = await signInAs(service, 'owner', { restaurant });
  operator = await signInAs(service, 'operator');
});
afterAll(() => service.stop());

function nudge(northKm: number, eastKm: number): Place {
  return { latitude: MIDDLE.latitude + northKm / 111.2, longitude: MIDDLE.longitude + eastKm / 84 };
}

async function hire(name: string, place: Place, restaurantId: string | null = null): Promise<string> {
  const added = await addCourier(service.app, {
    name,
    phone: null,
    ...place,
    restaurantId,
    onDuty: true,
    actor: { name: 'test' },
  });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  return added.courier.id;
}

const DROPOFF = { latitude: 41.01, longitude: 29.01 };

async function placeOrder(from: TestRestaurant, pickup: Place, dropoff: Place = DROPOFF): Promise<string> {
  const content = { pickup: { location: pickup }, dropoff: { location: dropoff } };
  const answer = await service.post(from, { orderId: randomUUID(), ...content });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

/** Waits for the figures, because the thread that computes them may be busy at first. */
async function ask(browser: Browser, path: string) {
  const read = async () => candidatesAnswer.parse((await browser.get(path)).body);
  let answer = await read();
  await expect.poll(async () => (answer = await read()).gap).toBeNull();
  return answer.couriers;
}
const askAsOwner = (orderId: string) => ask(owner, `/api/orders/${orderId}/couriers`);
const askAsOperator = (orderId: string) => ask(operator, `/api/operator/planning/orders/${orderId}/couriers`);

async function moveTo(courierId: string, place: Place): Promise<void> {
  // Deletes the last report, because reports that follow too soon are ignored.
  await service.app.db.query('delete from courier_positions where courier_id = $1', [courierId]);
  expect(await reportPosition(service.app, courierId, place)).toBe(true);
}

async function accept(orderId: string, courierId: string): Promise<void> {
  const { change } = service.app.changer;
  await change({ scope: 'everything', orderId, command: { name: 'assign', courierId }, actor: { role: 'operator' } });
  const accepted = await change({
    scope: 'everything',
    orderId,
    command: { name: 'accept' },
    actor: { role: 'courier', courierId },
  });
  expect(accepted.kind).toBe('changed');
}

/** Everything that a restaurant can read about an order. */
async function readAll(orderId: string): Promise<string> {
  const [order] = await service.app.db.query<{ id: string }>(
    'select provider_order_id as id from orders where id = $1',
    [orderId],
  );
  const paths = [
    '/api/orders',
    `/api/orders/${orderId}`,
    `/api/orders/${orderId}/timeline`,
    `/api/planning/orders/${orderId}`,
    '/api/planning/alarms',
    '/api/planning/positions',
    '/api/map',
  ];
  const pages = await Promise.all(paths.map(async (path) => (await owner.get(path)).body));
  const headers = { 'x-api-key': restaurant.apiKey };
  const answers = await Promise.all(
    [`order/${order?.id}`, 'events?limit=500'].map((path) =>
      fetch(`${service.address}/webhook/third-party/${path}`, { headers }),
    ),
  );
  return JSON.stringify([...pages, ...(await Promise.all(answers.map((answer) => answer.json())))]);
}

test('a restaurant gets the same answers wherever a pool courier is within a grid square', async () => {
  const pool = await hire('Pool', MIDDLE);
  const own = await hire('Own', KITCHEN, restaurant.id);
  // From all directions, and close enough that exact distances would fall into different bands.
  const pickups = [KITCHEN, MIDDLE, nudge(0, 2), nudge(2, 0), nudge(-1.9, 0.3), nudge(0.5, -5.1), nudge(1.5, 9.5)];
  const orders: string[] = [];
  for (const pickup of pickups) orders.push(await placeOrder(restaurant, pickup));
  const seen = { owner: new Set<string>(), operator: new Set<string>() };
  for (const spot of SPOTS) {
    await moveTo(pool, spot);
    const answers = { owner: [] as unknown[], operator: [] as unknown[] };
    for (const orderId of orders) {
      const couriers = await askAsOwner(orderId);
      answers.owner.push(couriers.map(({ id, rough, warnings }) => ({ id, rough, warnings })));
      const found = couriers.find(({ id }) => id === pool);
      expect(found).toMatchObject({ distanceMeters: null, figures: null, rough: { distanceKm: {}, figures: {} } });
      expect(couriers.find(({ id }) => id === own)).toMatchObject({ rough: null, figures: {} });
      answers.operator.push((await askAsOperator(orderId)).find(({ id }) => id === pool)?.distanceMeters);
    }
    seen.owner.add(JSON.stringify(answers.owner));
    seen.operator.add(JSON.stringify(answers.operator));
  }
  expect(seen.owner.size).toBe(1);
  // Control: the exact answers, which only operators get, differ from spot to spot.
  expect(seen.operator.size).toBe(SPOTS.length);
  const elsewhere = nudge(8, 8);
  await moveTo(pool, elsewhere);
  const far = (await askAsOwner(orders[0] ?? '')).find(({ id }) => id === pool);
  expect(far?.rough?.distanceKm).toEqual({ from: 10, under: null });
});

test('a courier’s work for another restaurant is visible only to the precision of a grid square', async () => {
  const other = await service.addRestaurant({ autoApprove: true, preparationMinutes: 0, ...KITCHEN });
  const busy: string[] = [];
  for (const [index, spot] of SPOTS.entries()) {
    const courierId = await hire(`Busy ${index}`, KITCHEN);
    await accept(await placeOrder(other, KITCHEN, spot), courierId);
    busy.push(courierId);
  }
  const seen = { owner: 0, operator: 0 };
  const pickups = Array.from({ length: 8 }, (_, index) => nudge(0, index - 4));
  for (const pickup of pickups) {
    const orderId = await placeOrder(restaurant, pickup);
    const ofBusy = (couriers: Awaited<ReturnType<typeof ask>>) => couriers.filter(({ id }) => busy.includes(id));
    const rough = ofBusy(await askAsOwner(orderId)).map((courier) => JSON.stringify(courier.rough));
    const exact = ofBusy(await askAsOperator(orderId)).map(({ figures }) => figures?.detourSeconds);
    seen.owner = Math.max(seen.owner, new Set(rough).size);
    seen.operator = Math.max(seen.operator, new Set(exact).size);
  }
  expect(seen.owner).toBe(1);
  expect(seen.operator).toBe(SPOTS.length);
});

test('an order’s plan reveals no unknown couriers, costs or exact times to the restaurant', async () => {
  const [pool, next] = [await hire('Secret one', KITCHEN), await hire('Secret two', KITCHEN)];
  const orderId = await placeOrder(restaurant, KITCHEN);
  const now = service.app.clock.now();
  const [pickupAt, dropoffAt] = [now + 7 * MINUTE_MS, now + 13 * MINUTE_MS];
  const nextBest = { courierId: next, extraCost: 4_321 };
  const offerAt = new Date(now + MINUTE_MS).toISOString();
  const explanation = { kind: 'placed', courierId: pool, extraCost: 1_234, nextBest, offerAt } as const;
  const plan = { orderId, courierId: pool, pickupPlace: 0, dropoffPlace: 1, pickupAt, dropoffAt };
  await saveOrderPlans(service.app.db, [{ ...plan, explanation }], now);
  const alarm = {
    orderId,
    kind: 'NO_COURIER_IN_TIME',
    courierId: pool,
    detail: 'It will be 17 minutes late.',
  } as const;
  await raiseAlarm(service.app.db, { ...alarm, raisedAt: now });
  const exact = [pickupAt, dropoffAt].map((at) => new Date(at).toISOString().slice(0, 23));
  const secrets = [pool, next, 'Secret one', 'Secret two', '4321', '1234', offerAt, '17 minutes', ...exact];
  const answers = await readAll(orderId);
  for (const secret of secrets) expect(answers).not.toContain(secret);
  expect(answers).toContain('more than 10 minutes late');
  const operators = JSON.stringify([
    (await operator.get(`/api/operator/planning/orders/${orderId}`)).body,
    (await operator.get('/api/operator/map')).body,
  ]);
  for (const secret of secrets) expect(operators).toContain(secret);

  // Once the courier has accepted an order of the restaurant, the courier is on its map and the plan is exact. The next
  // best courier stays anonymous.
  await accept(orderId, pool);
  await moveTo(pool, MIDDLE);
  const accepted = await readAll(orderId);
  for (const known of [pool, 'Secret one', ...exact, String(MIDDLE.latitude)]) expect(accepted).toContain(known);
  for (const secret of [next, 'Secret two', '4321']) expect(accepted).not.toContain(secret);
});

test('a courier’s name is visible from the offer on, phone and photo only after acceptance', async () => {
  const phone = '+905559998877';
  const added = await addCourier(service.app, {
    name: 'Offered courier',
    phone,
    ...KITCHEN,
    restaurantId: null,
    onDuty: true,
    actor: { name: 'test' },
  });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  const courierId = added.courier.id;
  const photo = { mediaType: 'image/png', content: Buffer.from('photo'), changedAt: clock.now() } as const;
  await savePhoto(service.app.db, courierId, photo);
  const { change } = service.app.changer;
  const readPhoto = async (orderId: string) => (await owner.get(`/api/orders/${orderId}/courier-photo`)).status;
  const readPhotoTime = async (orderId: string) => (await owner.get(`/api/orders/${orderId}`)).body.courierPhotoAt;
  for (const isReadyFirst of [false, true]) {
    const orderId = await placeOrder(restaurant, KITCHEN);
    if (isReadyFirst)
      await change({ scope: 'everything', orderId, command: { name: 'prepare' }, actor: { role: 'restaurant' } });
    await change({ scope: 'everything', orderId, command: { name: 'assign', courierId }, actor: { role: 'operator' } });
    const offered = await readAll(orderId);
    expect(offered).toContain('Offered courier');
    expect(offered).not.toContain(phone);
    expect([await readPhotoTime(orderId), await readPhoto(orderId)]).toEqual([null, 404]);

    // Control: the same reads return the phone and the photo once the courier has accepted.
    await accept(orderId, courierId);
    expect(await readAll(orderId)).toContain(phone);
    expect([await readPhotoTime(orderId), await readPhoto(orderId)]).toEqual([expect.any(String), 200]);
  }
});

test('a canceled order never reveals the phone and photo of a courier who did not accept it', async () => {
  const phone = '+905559998866';
  const profile = { name: 'Never accepted', phone, ...KITCHEN, restaurantId: null, onDuty: true };
  const added = await addCourier(service.app, { ...profile, actor: { name: 'test' } });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  const courierId = added.courier.id;
  const orderId = await placeOrder(restaurant, KITCHEN);
  const { change } = service.app.changer;
  await change({ scope: 'everything', orderId, command: { name: 'assign', courierId }, actor: { role: 'operator' } });
  const cancellation = { reasonId: 'OUT_OF_STOCK', by: 'Restaurant', text: 'None left' } as const;
  await change({
    scope: 'everything',
    orderId,
    command: { name: 'cancel', cancellation },
    actor: { role: 'restaurant' },
  });
  expect((await owner.get(`/api/orders/${orderId}`)).body).toMatchObject({ state: 'CANCELED', courierPhone: null });
  expect(await readAll(orderId)).not.toContain(phone);
});
