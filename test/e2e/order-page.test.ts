import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { setWebhookUrls } from '../../src/actions/webhooks/set-webhook-urls.ts';
import { saveOrderPlans } from '../../src/store/planning/plans.ts';
import { hearNews, readClipboard, reasonOf, RECORD_NEWS, startPanelService, useChromium } from '../browser/browser.ts';
import { SCREENS, type Screen } from '../../harness/browser/chromium.ts';
import { addLogin, openBrowser, type Login } from '../../harness/service/panel-client.ts';
import { startReceiver, type Answer, type Receiver } from '../../harness/receivers/receiver.ts';
import { sampleOrder } from '../scenes/sample-order.ts';
import type { TestRestaurant, TestService } from '../../harness/service/service.ts';

let service: TestService;
let receiver: Receiver;
let answerTo: () => Answer = () => 200;
const { visitAs, visitWith } = useChromium();

beforeAll(async () => {
  service = await startPanelService({ roles: ['api', 'deliver'] });
  receiver = await startReceiver({ onRequest: () => answerTo() });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

interface Placed {
  orderId: string;
  serviceOrderId: string;
}

async function place(restaurant: TestRestaurant, changes: object = {}): Promise<Placed> {
  const answer = await service.post(restaurant, sampleOrder(changes));
  expect(answer.status).toBe(201);
  return (await answer.json()) as Placed;
}

async function statusOf(restaurant: TestRestaurant, { orderId }: Placed): Promise<unknown> {
  const answer = await service.get(restaurant, `order/${orderId}`);
  return ((await answer.json()) as { status: string }).status;
}

const timeline = (page: Page) => page.getByRole('list', { name: 'History of the order and its webhooks' });

describe.for(Object.keys(SCREENS) as Screen[])('on a %s', (screen) => {
  test('everything the integrator sent is shown, and only legal commands are enabled', async () => {
    const restaurant = await service.addRestaurant();
    const order = await place(restaurant, { loyalty: { tier: 'gold' } });
    const page = await visitAs(service, { role: 'staff', restaurant, at: `/orders/${order.serviceOrderId}`, screen });
    for (const words of ['Elif Kaya', 'Moda Caddesi 12', 'Tagliatelle al ragù', 'No onions', 'Nut allergy', '€48.80']) {
      await page.getByText(words).first().waitFor();
    }
    expect(await reasonOf(page, 'Approve')).toBe('');
    expect(await reasonOf(page, 'Mark prepared')).toContain('NEW');
    expect(await reasonOf(page, 'Assign courier')).toContain('NEW');
    await page.getByRole('button', { name: 'Approve' }).click();
    await timeline(page).getByText('Approved by the restaurant').waitFor();
    await expect.poll(() => reasonOf(page, 'Mark prepared')).toBe('');
    await page.getByRole('button', { name: 'Mark prepared' }).click();
    await expect.poll(() => statusOf(restaurant, order)).toBe('PREPARED');
  });

  test('a courier is assigned manually', async () => {
    const restaurant = await service.addRestaurant();
    await service.addCourier(`Bo Larsen ${screen}`);
    const order = await place(restaurant);
    const page = await visitAs(service, { role: 'staff', restaurant, at: `/orders/${order.serviceOrderId}`, screen });
    await page.getByRole('button', { name: 'Approve' }).click();
    await expect.poll(() => reasonOf(page, 'Assign courier')).toBe('');
    await page.getByRole('button', { name: 'Assign courier' }).click();
    const dialog = page.getByRole('dialog');
    expect(await reasonOf(page, /^Assign$/)).toBe('Select a courier');
    await dialog.getByRole('radio', { name: `Bo Larsen ${screen}` }).check();
    await dialog.getByRole('button', { name: 'Assign' }).click();
    await timeline(page).getByText('Assigned by the restaurant').waitFor();
    await page.getByText(`Bo Larsen ${screen}`).first().waitFor();
    expect(await statusOf(restaurant, order)).toBe('ASSIGNED');
  });

  test('an order is canceled with a reason, which both webhooks carry', async () => {
    const restaurant = await service.addRestaurant({ receiver });
    const order = await place(restaurant);
    const page = await visitAs(service, { role: 'staff', restaurant, at: `/orders/${order.serviceOrderId}`, screen });
    await page.getByRole('button', { name: 'Cancel order' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText("You can't undo this").waitFor();
    expect(await dialog.getByRole('combobox', { name: 'Reason' }).getByRole('option').allTextContents()).toEqual([
      'Customer request',
      'Out of stock',
      'Other',
    ]);
    await dialog.getByRole('combobox', { name: 'Reason' }).selectOption({ label: 'Out of stock' });
    await dialog.getByText('take the item off the menu').waitFor();
    await dialog.getByLabel('Message to the integrator').fill('No more burrata today');
    await dialog.getByRole('button', { name: 'Cancel order' }).click();
    await timeline(page).getByText('Canceled by the restaurant').waitFor();
    const ofOrder = () => receiver.requests.filter(({ body }) => body.includes(order.serviceOrderId));
    await receiver.waitFor(() => ofOrder().length === 2);
    const cancel = ofOrder().find(({ path }) => path === '/cancel');
    expect(JSON.parse(cancel?.body.toString() ?? '{}')).toMatchObject({
      cancelReasonId: 'OUT_OF_STOCK',
      canceledBy: 'Restaurant',
      reason: 'No more burrata today',
    });
    await expect.poll(() => reasonOf(page, 'Approve')).not.toBe('');
  });

  test('a drop-off without coordinates is fixed in place', async () => {
    const restaurant = await service.addRestaurant();
    const order = await place(restaurant, { dropoff: { address: { line1: 'Moda Caddesi 12', city: 'İstanbul' } } });
    const page = await visitAs(service, { role: 'staff', restaurant, at: `/orders/${order.serviceOrderId}`, screen });
    await page.getByRole('button', { name: 'Fix drop-off address' }).click();
    const dialog = page.getByRole('dialog', { name: 'Fix drop-off address' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter both coordinates as numbers').waitFor();
    await dialog.getByLabel('Latitude', { exact: true }).fill('40.9821');
    await dialog.getByLabel('Longitude', { exact: true }).fill('29.0255');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Fix drop-off address' }).waitFor({ state: 'hidden' });
    await timeline(page).getByText('Drop-off address fixed').waitFor();
  });
});

test('a failed webhook shows both sides of the attempt and can be resent and copied as cURL', async () => {
  const restaurant = await service.addRestaurant({ receiver, hasSecret: true });
  const order = await place(restaurant);
  answerTo = () => ({ status: 503, body: 'the kitchen computer is restarting' });
  const page = await visitAs(service, { role: 'owner', restaurant, at: `/orders/${order.serviceOrderId}` });
  await page.getByRole('button', { name: 'Approve' }).click();
  await timeline(page).getByText('Webhook failed').waitFor();
  await timeline(page).getByText('Next attempt').first().waitFor();
  await timeline(page).getByText('Request and response').click();
  await timeline(page).getByText('the kitchen computer is restarting').waitFor();
  const sent = receiver.requests.find(({ body }) => body.includes(order.serviceOrderId));
  await timeline(page).getByRole('button', { name: 'Copy as cURL' }).click();
  const curl = await readClipboard(page);
  expect(curl).toContain(`--data-binary '${sent?.body.toString()}'`);
  expect(curl.toLowerCase()).toContain(`x-service-signature: ${String(sent?.headers['x-service-signature'])}`);
  answerTo = () => 200;
  await timeline(page).getByRole('button', { name: 'Resend' }).first().click();
  await timeline(page).getByText('Webhook delivered, status 200').waitFor();
  const all = receiver.requests.filter(({ body }) => body.includes(order.serviceOrderId));
  expect(all.map(({ body }) => body.toString())).toEqual([sent?.body.toString(), sent?.body.toString()]);
});

/** Opens an order page and waits until it is idle: the stream's first event has made it read the order again. */
async function openSettled(restaurant: TestRestaurant, orderId: string): Promise<Page> {
  const page = await visitAs(service, { role: 'owner', restaurant, at: '/team' });
  await page.addInitScript(RECORD_NEWS);
  await page.goto(`${service.address}/orders/${orderId}`);
  await timeline(page).waitFor();
  await hearNews(page, 'hello');
  // The requests that this event caused are answered before this one.
  await page.evaluate(`fetch('/api/orders/${orderId}/timeline').then((answer) => answer.text())`);
  return page;
}

test('the timeline says that webhooks are held without a URL, and that they are delivered once there is one', async () => {
  const restaurant = await service.addRestaurant();
  const { serviceOrderId: orderId } = await place(restaurant);
  answerTo = () => 200;
  await service.app.changer.change({
    scope: 'everything',
    orderId,
    command: { name: 'approve' },
    actor: { role: 'restaurant' },
  });
  const page = await openSettled(restaurant, orderId);
  await timeline(page).getByText('Held: no URL is registered').waitFor();
  // Not through this page, and no event notifies the page.
  const urls = { status: receiver.url('/status'), cancel: receiver.url('/cancel') };
  await setWebhookUrls(service.app, { restaurantId: restaurant.id, urls, actor: { name: 'test' } });
  await timeline(page).getByText('Webhook delivered, status 200').waitFor();
});

test('a new ETA appears even though no event announces it', async () => {
  const restaurant = await service.addRestaurant({ timeZone: 'UTC' });
  const { serviceOrderId: orderId } = await place(restaurant);
  const page = await openSettled(restaurant, orderId);
  const nobody = { courierId: null, pickupPlace: null, dropoffPlace: null, pickupAt: null, explanation: null };
  const dropoffAt = Date.parse('2026-11-15T19:42:00Z');
  await saveOrderPlans(service.app.db, [{ orderId, dropoffAt, ...nobody }], Date.now());
  await page.getByRole('region', { name: 'Summary' }).getByText('19:50').waitFor();
});

/** A script signed in as the same person; until it is stopped, all their requests are refused with 429. */
async function useUpRequests(login: Login): Promise<() => void> {
  const script = openBrowser(service.address);
  await script.signIn(login);
  const { panel } = service.app.pools;
  const query = panel.query.bind(panel);
  const { promise: isOver, resolve: finish } = Promise.withResolvers<undefined>();
  panel.query = async (statement, values) => {
    if (typeof statement !== 'object' || statement.name !== 'search_orders') return query(statement, values);
    await isOver;
    return [];
  };
  const connections = new AbortController();
  const search = (): Promise<Response> =>
    fetch(`${service.address}/api/orders?q=1`, {
      headers: { cookie: script.cookieHeader(), 'sec-fetch-site': 'same-origin' },
      signal: connections.signal,
    });
  const searches = Array.from({ length: 120 }, search);
  const stop = (): void => {
    finish(undefined);
    connections.abort();
    panel.query = query;
  };
  onTestFinished(stop);
  expect((await Promise.race(searches)).status).toBe(429);
  void Promise.allSettled(searches);
  return stop;
}

test('429 RATE_002: the page keeps its content, says what to do, and recovers once capacity is free', async () => {
  const restaurant = await service.addRestaurant();
  const order = await place(restaurant);
  const login = await addLogin(service, 'staff', { restaurant });
  const page = await visitWith(login, `${service.address}/orders/${order.serviceOrderId}`);
  await page.getByText('Elif Kaya', { exact: true }).waitFor();
  const stop = await useUpRequests(login);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Your account has too many requests in progress').waitFor();
  await page.getByText('Elif Kaya', { exact: true }).waitFor();

  // A page that could not load anything also logs that to its console.
  const fresh = await page.context().newPage();
  await fresh.goto(page.url());
  await fresh.getByRole('heading', { level: 1, name: 'Failed to load' }).waitFor();
  await fresh.getByText('Your account has too many requests in progress').waitFor();
  const { violations } = await new AxeBuilder({ page: fresh }).setLegacyMode().analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
  stop();
  await fresh.getByRole('button', { name: 'Try again' }).click();
  await fresh.getByText('Elif Kaya', { exact: true }).waitFor();
  expect(await statusOf(restaurant, order)).toBe('NEW');
});

test('429 RATE_002: a refused command is retried automatically and executed once', async () => {
  const restaurant = await service.addRestaurant();
  const order = await place(restaurant);
  const login = await addLogin(service, 'staff', { restaurant });
  const page = await visitWith(login, `${service.address}/orders/${order.serviceOrderId}`);
  await page.getByText('Elif Kaya', { exact: true }).waitFor();
  const stop = await useUpRequests(login);
  const refused = page.waitForResponse((answer) => answer.url().endsWith('/commands') && answer.status() === 429);
  await page.getByRole('button', { name: 'Approve' }).click();
  await refused;
  stop();
  await timeline(page).getByText('Approved by the restaurant').waitFor();
  expect(await timeline(page).getByText('Approved by the restaurant').count()).toBe(1);
});
