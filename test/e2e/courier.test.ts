// A courier with a phone and a bad connection. Pages log each lost connection to the console, so these tests check only
// for script errors.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { addCourier } from '../../src/actions/couriers/add-courier.ts';
import type { Command } from '../../src/domain/orders/order.ts';
import { listEventsOfOrder } from '../../src/store/orders/events.ts';
import { findOrderById, listOrderHistory } from '../../src/store/orders/orders.ts';
import { startPanelService } from '../browser/browser.ts';
import { launchChromium, SCREENS, signInto } from '../../harness/browser/chromium.ts';
import { addLogin } from '../../harness/service/panel-client.ts';
import { sampleOrder } from '../scenes/sample-order.ts';
import type { TestRestaurant, TestService } from '../../harness/service/service.ts';
import { digTunnel, type Tunnel } from '../browser/tunnel.ts';

let service: TestService;
let tunnel: Tunnel;
let browser: Browser;
const contexts: BrowserContext[] = [];
const problems: string[] = [];

beforeAll(async () => {
  // Without a planner, so that the test assigns the courier.
  service = await startPanelService({ roles: ['api', 'deliver'] });
  tunnel = await digTunnel(service.address);
  browser = await launchChromium(inject('browserProgram'));
});
afterEach(async () => {
  // Connections left over from a silent tunnel would never answer the next test's requests.
  tunnel.enter();
  tunnel.leave();
  await Promise.all(contexts.splice(0).map((context) => context.close()));
  const [problem] = problems.splice(0);
  if (problem !== undefined) throw new Error(problem);
});
afterAll(async () => {
  await browser.close();
  await tunnel.close();
  await service.stop();
});

interface Shift {
  restaurant: TestRestaurant;
  courierId: string;
  page: Page;
}

async function openPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  return page;
}

async function beginShift(): Promise<Shift> {
  const restaurant = await service.addRestaurant({ autoApprove: true });
  const added = await addCourier(service.app, {
    name: 'Deniz Kaya',
    phone: null,
    latitude: 40.98,
    longitude: 29.02,
    restaurantId: restaurant.id,
    actor: { name: 'test' },
  });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  const courierId = added.courier.id;
  const context = await browser.newContext({
    viewport: SCREENS.phone,
    hasTouch: true,
    reducedMotion: 'reduce',
    geolocation: { latitude: 40.98, longitude: 29.02 },
    permissions: ['geolocation'],
  });
  contexts.push(context);
  const page = await openPage(context);
  await signInto(page, await addLogin(service, 'courier', { courier: courierId }), tunnel.address);
  await page.goto(tunnel.address);
  await press(page, 'Go on duty');
  await page.getByRole('heading', { name: 'Waiting for an offer' }).waitFor();
  return { restaurant, courierId, page };
}

async function give(orderId: string, command: Command): Promise<void> {
  const result = await service.app.changer.change({
    scope: 'everything',
    orderId,
    command,
    actor: { role: 'restaurant' },
  });
  expect(result.kind).toBe('changed');
}

async function offer({ restaurant, courierId }: Shift): Promise<string> {
  const answer = await service.post(restaurant, sampleOrder());
  const { serviceOrderId } = (await answer.json()) as { serviceOrderId: string };
  await give(serviceOrderId, { name: 'assign', courierId });
  return serviceOrderId;
}

const press = (page: Page, name: string | RegExp) =>
  page.locator('button:not([aria-disabled])').filter({ hasText: name }).click();
// A string, because the tests are compiled without the browser's types.
const KEPT_ANSWERS = "caches.open('waybill-answers').then((cache) => cache.keys()).then((keys) => keys.length)";
const stateOf = async (orderId: string) => (await findOrderById(service.app.db, orderId))?.state;

test('offline, the page opens, shows the stops and queues each step; online, two tabs send each step once, in order', async () => {
  const shift = await beginShift();
  const { page } = shift;
  const orderId = await offer(shift);
  await press(page, 'Accept');
  await give(orderId, { name: 'prepare' });
  // The page shows a step immediately and sends it afterward.
  const sent = page.waitForResponse((response) => response.url().endsWith('/api/courier/acts') && response.ok());
  await press(page, "I'm at the restaurant");
  await sent;
  await page.getByRole('button', { name: 'Picked up' }).waitFor();
  await expect.poll(() => page.evaluate<number>(KEPT_ANSWERS)).toBe(2);
  // Waits for an answer requested after the step, so that the last cached answer includes it.
  const asked = await page.waitForRequest((request) => request.url().endsWith('/api/courier/work'));
  expect((await asked.response())?.ok()).toBe(true);

  const context = page.context();
  tunnel.enter();
  // Some phones also detect that they are offline.
  await context.setOffline(true);
  await press(page, 'Picked up');
  await page.getByText('1 step waiting to be sent').waitFor();
  await page.reload();
  await page.getByText("You're offline").waitFor();
  await page.getByText('1 step waiting to be sent').waitFor();
  await page.getByRole('heading', { name: 'Elif Kaya' }).waitFor();
  await press(page, "I'm at the door");
  await press(page, '€48.80 received, delivered');
  await page.getByText('3 steps waiting to be sent').waitFor();
  expect(await stateOf(orderId)).toBe('PREPARED');
  await page.close();
  const tabs = [await openPage(context), await openPage(context)];
  for (const tab of tabs) {
    await tab.goto(tunnel.address);
    await tab.getByText('3 steps waiting to be sent').waitFor();
  }

  tunnel.leave();
  await context.setOffline(false);
  await expect.poll(() => stateOf(orderId), { timeout: 40_000 }).toBe('DELIVERED');
  for (const tab of tabs) {
    await tab.getByText('waiting to be sent').waitFor({ state: 'detached', timeout: 40_000 });
    await tab.getByRole('heading', { name: 'Waiting for an offer' }).waitFor();
  }
  const events = await listEventsOfOrder(service.app.db, orderId);
  expect(events.map(({ to }) => to).slice(-3)).toEqual(['PREPARED', 'ON_DELIVERY', 'DELIVERED']);
  const notes = (await listOrderHistory(service.app.db, orderId)).map(({ kind }) => kind);
  expect(notes.filter((kind) => kind === 'courier_at_dropoff')).toHaveLength(1);
});

test('a connection that accepts requests and never answers does not block steps forever', async () => {
  const shift = await beginShift();
  const { page } = shift;
  const orderId = await offer(shift);
  await press(page, 'Accept');
  await page.getByRole('button', { name: "I'm at the restaurant" }).waitFor();
  tunnel.enterSilently();
  const sent = page.waitForRequest('**/api/courier/acts');
  await press(page, "I'm at the restaurant");
  await sent;
  await page.getByText('1 step waiting to be sent').waitFor();
  tunnel.leave();
  const notesOf = async () => (await listOrderHistory(service.app.db, orderId)).map(({ kind }) => kind);
  await expect.poll(notesOf, { timeout: 60_000 }).toContain('courier_at_pickup');
  await page.getByText('waiting to be sent').waitFor({ state: 'detached' });
}, 120_000);

test('signing out leaves no offline data for the next user', async () => {
  const shift = await beginShift();
  const { page } = shift;
  const orderId = await offer(shift);
  await press(page, 'Accept');
  await page.getByRole('button', { name: "I'm at the restaurant" }).waitFor();
  const countKept = () => page.evaluate<number>(KEPT_ANSWERS);
  await expect.poll(countKept).toBe(2);
  await page.getByRole('button', { name: 'Menu' }).click();
  await press(page, 'Sign out');
  await page.getByLabel('Password').waitFor();
  expect(await countKept()).toBe(0);
  expect(await stateOf(orderId)).toBe('ACCEPTED');
});
