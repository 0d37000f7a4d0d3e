import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Command } from '../../src/domain/orders/order.ts';
import { saveOrderPlans } from '../../src/store/planning/plans.ts';
import { hearNews, RECORD_NEWS, RECORD_TONES, startPanelService, useChromium } from '../browser/browser.ts';
import { SCREENS, type Screen } from '../../harness/browser/chromium.ts';
import { sampleOrder } from '../scenes/sample-order.ts';
import type { TestRestaurant, TestService } from '../../harness/service/service.ts';

const TEN_MINUTES_MS = 10 * 60_000;

let service: TestService;
const { visitAs } = useChromium();

beforeAll(async () => {
  service = await startPanelService({ roles: ['api', 'deliver'] });
});
afterAll(() => service.stop());

interface Placed {
  orderId: string;
  serviceOrderId: string;
  orderNumber: string;
}

async function place(restaurant: TestRestaurant, changes: object = {}): Promise<Placed> {
  const answer = await service.post(restaurant, sampleOrder(changes));
  expect(answer.status).toBe(201);
  return (await answer.json()) as Placed;
}

async function give(order: Placed, command: Command): Promise<void> {
  const { serviceOrderId: orderId } = order;
  const result = await service.app.changer.change({
    scope: 'everything',
    orderId,
    command,
    actor: { role: 'restaurant' },
  });
  expect(result.kind).toBe('changed');
}

/** Backdates the orders, as if they had been placed that long ago. */
async function age(restaurant: TestRestaurant, minutes: number): Promise<void> {
  await service.app.db.query(
    'update orders set created_at = created_at - make_interval(mins => $2) where restaurant_id = $1',
    [restaurant.id, minutes],
  );
}

// An overlap that lasts one frame is gone before a test can look. An intersection observer reports the positions when a
// frame is painted, after all code that measures and moves the cards in it.
const WATCH_OVERLAPS = `
  globalThis.overlaps = 0;
  globalThis.framesSeen = 0;
  const judge = (entries, observer) => {
    observer.disconnect();
    const boxes = entries.map((entry) => entry.boundingClientRect);
    const hits = boxes.filter((box, index) => boxes[index + 1]?.left === box.left && boxes[index + 1].top < box.bottom);
    globalThis.overlaps += hits.length;
    globalThis.framesSeen += 1;
  };
  const look = () => {
    const cards = document.querySelectorAll('article');
    const observer = new IntersectionObserver(judge);
    for (const card of cards) observer.observe(card);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;

/** Disables the live stream on the page. */
const DEAF = 'globalThis.EventSource = class extends EventTarget { close() {} };';

const card = (page: Page, { orderNumber }: Placed) => page.getByRole('article', { name: `#${orderNumber}` });

describe.for(Object.keys(SCREENS) as Screen[])('on a %s', (screen) => {
  test.for(['owner', 'staff'] as const)('%s: a new order and its changes appear without a reload', async (role) => {
    const restaurant = await service.addRestaurant();
    const page = await visitAs(service, { role, restaurant, at: '/orders', screen });
    await page.getByText('No live orders').waitFor();
    const order = await place(restaurant);
    await card(page, order).waitFor();
    await card(page, order).getByText('Elif Kaya').waitFor();
    await give(order, { name: 'approve' });
    await page.getByRole('button', { name: `Mark prepared #${order.orderNumber}` }).waitFor();
  });

  test('an order is approved and marked as prepared from its card', async () => {
    const restaurant = await service.addRestaurant();
    const order = await place(restaurant);
    const page = await visitAs(service, { role: 'staff', restaurant, at: '/orders', screen });
    await page.getByRole('button', { name: `Approve #${order.orderNumber}` }).click();
    await page.getByRole('button', { name: `Mark prepared #${order.orderNumber}` }).click();
    await page.getByRole('heading', { level: 2, name: 'Prepared' }).waitFor();
    const stored = await service.get(restaurant, `order/${order.orderId}`);
    expect(await stored.json()).toMatchObject({ status: 'PREPARED' });
  });

  test('bulk approval shows the result for each order', async () => {
    const restaurant = await service.addRestaurant();
    const orders = [await place(restaurant), await place(restaurant), await place(restaurant)];
    await age(restaurant, 3);
    const page = await visitAs(service, { role: 'staff', restaurant, at: '/orders', screen });
    await page.getByText('3 orders are waiting for approval').waitFor();
    await page.getByRole('button', { name: 'Approve 3' }).click();
    const dialog = page.getByRole('dialog', { name: 'Approve orders' });
    const [gone] = orders;
    if (gone === undefined) throw new Error('there is no order');
    await give(gone, { name: 'cancel', cancellation: { reasonId: 'OUT_OF_STOCK', by: 'Restaurant', text: '' } });
    await dialog.getByRole('button', { name: 'Approve 3' }).click();
    await dialog.getByText('2 of 3 approved').waitFor();
    expect(await dialog.getByText('Approved', { exact: true }).count()).toBe(2);
    const refused = dialog.getByRole('listitem').filter({ hasText: `#${gone.orderNumber}` });
    await refused.getByText('Not approved').waitFor();
    await refused.getByText('CANCELED').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });
  });

  test('cards never overlap, even while one of them grows', async () => {
    const restaurant = await service.addRestaurant();
    for (let count = 0; count < 6; count += 1) await place(restaurant, { dropoff: {} });
    const page = await visitAs(service, { role: 'staff', restaurant, at: '/team', screen });
    await page.addInitScript(WATCH_OVERLAPS);
    await page.goto(`${service.address}/orders`);
    const pass = async (frames: number) => {
      const before = await page.evaluate<number>('globalThis.framesSeen');
      await expect.poll(() => page.evaluate<number>('globalThis.framesSeen')).toBeGreaterThan(before + frames);
    };
    await pass(5);
    // The card grows, as when it gets a courier or a problem to fix.
    await page.evaluate("document.querySelector('article').style.paddingBottom = '80px'");
    await pass(5);
    expect(await page.evaluate('globalThis.overlaps')).toBe(0);
  });

  test('an order is found by its id, number or phone', async () => {
    const restaurant = await service.addRestaurant();
    const sought = await place(restaurant, { orderId: `find-me-${screen}`, customer: { phone: '+905551112233' } });
    await place(restaurant);
    const page = await visitAs(service, { role: 'staff', restaurant, at: '/orders', screen });
    for (const words of [`find-me-${screen}`, sought.orderNumber, '+905551112233']) {
      await page.getByRole('textbox', { name: 'Search orders' }).fill(words);
      await page.getByText('1 order found').first().waitFor();
      await card(page, sought).waitFor();
      await expect.poll(() => page.getByRole('article').count()).toBe(1);
    }
    await page.getByRole('textbox', { name: 'Search orders' }).fill('nothing like it');
    await page.getByText('No orders found').waitFor();
  });
});

// The page reads the board once on opening and again when the stream has begun.
test.for([
  { read: 'first', held: 0, news: 'hello' },
  { read: 'second', held: 1, news: 'orders' },
] as const)('an order placed during the $read reading of the board appears on it', async ({ held, news }) => {
  const restaurant = await service.addRestaurant();
  const page = await visitAs(service, { role: 'staff', restaurant, at: '/settings' });
  await page.addInitScript(RECORD_NEWS);
  const placed = Promise.withResolvers<Placed>();
  let reads = 0;
  await page.route('**/api/orders', async (route) => {
    reads += 1;
    if (reads !== held + 1) return route.continue();
    // The answer was produced before the order, and arrives after the page has been notified of the order.
    const answer = await route.fetch();
    const order = await place(restaurant);
    await hearNews(page, news);
    // The requests that this event caused are answered before this one.
    await page.evaluate(`fetch('/api/orders?ids=${order.serviceOrderId}').then((cards) => cards.text())`);
    await route.fulfill({ response: answer });
    await page.evaluate('new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))');
    placed.resolve(order);
  });
  await page.goto(`${service.address}/orders`);
  await card(page, await placed.promise).waitFor();
});

test('changes made while another page was open are on the board on return', async () => {
  const restaurant = await service.addRestaurant();
  const known = await place(restaurant);
  const page = await visitAs(service, { role: 'staff', restaurant, at: '/settings' });
  await page.addInitScript(RECORD_NEWS);
  await page.goto(`${service.address}/orders`);
  await hearNews(page, 'hello');
  await card(page, known).waitFor();
  await page.getByRole('link', { name: 'Team' }).click();
  await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor();
  const order = await place(restaurant);
  await hearNews(page, 'orders');
  await page.getByRole('link', { name: 'Orders' }).click();
  await card(page, order).waitFor();
});

test('a command refused because the order changed first shows the current state', async () => {
  const restaurant = await service.addRestaurant();
  const order = await place(restaurant);
  const page = await visitAs(service, { role: 'staff', restaurant, at: '/settings' });
  await page.addInitScript(DEAF);
  await page.goto(`${service.address}/orders`);
  const approve = page.getByRole('button', { name: `Approve #${order.orderNumber}` });
  await approve.waitFor();
  await give(order, { name: 'cancel', cancellation: { reasonId: 'OUT_OF_STOCK', by: 'Restaurant', text: '' } });
  await approve.click();
  await card(page, order).getByText('Canceled').waitFor();
});

test('search results show changes made here and elsewhere', async () => {
  const restaurant = await service.addRestaurant();
  const order = await place(restaurant, { orderId: 'found-and-changed' });
  const page = await visitAs(service, { role: 'staff', restaurant, at: '/orders?q=found-and-changed' });
  await page.getByRole('button', { name: `Approve #${order.orderNumber}` }).click();
  await page.getByRole('button', { name: `Mark prepared #${order.orderNumber}` }).waitFor();
  await give(order, { name: 'cancel', cancellation: { reasonId: 'OUT_OF_STOCK', by: 'Restaurant', text: '' } });
  await card(page, order).getByText('Canceled').waitFor();
});

test('a new ETA appears on the board even though no event announces it', async () => {
  const restaurant = await service.addRestaurant({ timeZone: 'UTC' });
  const order = await place(restaurant);
  const page = await visitAs(service, { role: 'staff', restaurant, at: '/settings' });
  await page.addInitScript(RECORD_NEWS);
  await page.clock.install();
  await page.goto(`${service.address}/orders`);
  await hearNews(page, 'hello');
  await card(page, order).waitFor();
  // The courier is not the restaurant's own, so the time is rounded up to ten minutes.
  const shownAt = Math.ceil(Date.now() / TEN_MINUTES_MS + 6) * TEN_MINUTES_MS;
  const dropoffAt = shownAt - 2 * 60_000;
  const nobody = { courierId: null, pickupPlace: null, dropoffPlace: null, pickupAt: null, explanation: null };
  await saveOrderPlans(service.app.db, [{ orderId: order.serviceOrderId, dropoffAt, ...nobody }], Date.now());
  const passHalfMinute = async () => {
    await page.clock.runFor(30_000);
    return card(page, order)
      .getByText(`ETA ${new Date(shownAt).toISOString().slice(11, 16)}`)
      .count();
  };
  await expect.poll(passHalfMinute).toBe(1);
});

test('filters stay in the URL, and a filter that hides everything says so', async () => {
  const restaurant = await service.addRestaurant();
  const [fresh, approved] = [await place(restaurant), await place(restaurant)];
  await give(approved, { name: 'approve' });
  const page = await visitAs(service, { role: 'staff', restaurant, at: '/orders' });
  await card(page, fresh).waitFor();
  await page.getByRole('combobox', { name: 'State' }).selectOption({ label: 'Approved' });
  await card(page, fresh).waitFor({ state: 'hidden' });
  await page.reload();
  await card(page, approved).waitFor();
  expect(await card(page, fresh).count()).toBe(0);
  await page.getByRole('combobox', { name: 'Issue' }).selectOption({ label: 'Late' });
  await page.getByText('No matching orders').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await card(page, fresh).waitFor();
});

test('sound is off until it is turned on, and the choice is kept', async () => {
  const restaurant = await service.addRestaurant();
  const page = await visitAs(service, { role: 'staff', restaurant, at: '/orders' });
  await page.getByRole('button', { name: 'Turn sound on' }).click();
  await page.getByRole('button', { name: 'Turn sound off' }).waitFor();
  expect(await page.evaluate("localStorage['waybill.sound']")).toBe('on');
});

test('arrivals and cancellations have different tones, even when orders are auto-approved', async () => {
  const restaurant = await service.addRestaurant({ autoApprove: true });
  const page = await visitAs(service, { role: 'staff', restaurant, at: '/settings' });
  await page.addInitScript(RECORD_NEWS);
  await page.goto(`${service.address}/orders`);
  // Orders from before the start of the stream do not play a sound.
  await hearNews(page, 'hello');
  await page.evaluate(RECORD_TONES);
  const hear = async (...pitches: number[]) => {
    await expect.poll(() => page.evaluate('globalThis.tones')).toEqual(pitches);
    await page.evaluate('globalThis.tones = []');
  };
  await page.getByRole('button', { name: 'Turn sound on' }).click();
  await hear(660, 880);
  const order = await place(restaurant);
  await hear(660, 880);
  await give(order, { name: 'cancel', cancellation: { reasonId: 'OUT_OF_STOCK', by: 'Restaurant', text: '' } });
  await hear(520, 390, 290);
});

test('another restaurant’s order is not found, by URL or by search', async () => {
  const [mine, theirs] = [await service.addRestaurant(), await service.addRestaurant()];
  const order = await place(theirs, { orderId: 'theirs-alone' });
  const page = await visitAs(service, { role: 'owner', restaurant: mine, at: `/orders/${order.serviceOrderId}` });
  await page.getByRole('heading', { level: 1, name: 'Order not found' }).waitFor();
  // This is not an error, and retrying would not help.
  expect(await page.getByText('Failed to load').count()).toBe(0);
  await page.getByRole('link', { name: 'Go to orders' }).click();
  await page.getByText('No live orders').waitFor();
  await page.goto(`${service.address}/orders?q=theirs-alone`);
  await page.getByText('No orders found').waitFor();
});
