import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reasonOf, startPanelService, useChromium } from '../browser/browser.ts';
import { SCREENS, type Screen } from '../../harness/browser/chromium.ts';
import { startReceiver, type Answer, type ReceivedRequest, type Receiver } from '../../harness/receivers/receiver.ts';
import { sampleOrder } from '../scenes/sample-order.ts';
import type { TestRestaurant, TestService } from '../../harness/service/service.ts';

let service: TestService;
let receiver: Receiver;
let answerTo: (request: ReceivedRequest) => Answer = () => 200;
const { visitAs } = useChromium();

beforeAll(async () => {
  service = await startPanelService({ roles: ['api', 'deliver'] });
  receiver = await startReceiver({ onRequest: (request) => answerTo(request) });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

/** Creates an approved order and waits until its webhook has been attempted. */
async function approveOne(restaurant: TestRestaurant): Promise<{ serviceOrderId: string; orderNumber: string }> {
  const placed = await service.post(restaurant, sampleOrder());
  const order = (await placed.json()) as { serviceOrderId: string; orderNumber: string };
  const { serviceOrderId: orderId } = order;
  await service.app.changer.change({
    scope: 'everything',
    orderId,
    command: { name: 'approve' },
    actor: { role: 'restaurant' },
  });
  await receiver.waitFor((all) => all.some(({ body }) => body.includes(orderId)));
  return order;
}

describe.for(Object.keys(SCREENS) as Screen[])('on a %s', (screen) => {
  test('failures are in the log and in a banner on every page, and resending all confirms their number first', async () => {
    const restaurant = await service.addRestaurant({ receiver, hasSecret: true });
    answerTo = () => ({ status: 500, body: 'out of memory' });
    const orders = [await approveOne(restaurant), await approveOne(restaurant)];
    const page = await visitAs(service, { role: 'owner', restaurant, at: '/team', screen });
    const summary = page.getByText('Status Update webhooks are failing');
    await summary.waitFor();
    // Collapsed, it takes one line regardless of how much fails.
    const line = await page.locator('details').filter({ has: summary }).boundingBox();
    expect(line?.height).toBeLessThanOrEqual(48);
    await summary.click();
    await page.getByText('Failing since').waitFor();
    await page.getByRole('link', { name: 'View webhooks' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    for (const { orderNumber } of orders) {
      await page.getByRole('button', { name: `Details of ${orderNumber}, Waiting for a retry` }).waitFor();
    }
    await page.getByRole('button', { name: `Details of ${orders[0]?.orderNumber}` }).click();
    const details = page.getByRole('dialog', { name: 'Status Update webhook' });
    await details.getByText('out of memory').waitFor();
    await details.getByText('Check the response below').waitFor();
    await details.getByRole('button', { name: 'Close' }).click();

    answerTo = () => 200;
    await page.getByRole('button', { name: 'Resend failed' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resend failed webhooks' });
    await dialog.getByText('2 failed webhooks').waitFor();
    await dialog.getByRole('button', { name: 'Resend 2 webhooks' }).click();
    await page.getByText('2 webhooks are being resent').waitFor();
    await page.goto(`${service.address}/webhooks?outcome=delivered`);
    for (const { orderNumber } of orders) {
      await page.getByRole('button', { name: `Details of ${orderNumber}, Delivered` }).waitFor();
    }
    // Waits for the health data, because the warning is never shown before it is loaded.
    const health = page.waitForResponse((answer) => answer.url().endsWith('/api/webhooks/health'));
    await page.reload();
    await health;
    await page.evaluate('new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))');
    await page.getByText('are failing').waitFor({ state: 'hidden' });
  });

  test('the log is filtered by outcome, endpoint and order, and the filters stay in the URL', async () => {
    const restaurant = await service.addRestaurant({ receiver });
    answerTo = ({ path }) => (path === '/cancel' ? 500 : 200);
    const [kept, canceled] = [await approveOne(restaurant), await approveOne(restaurant)];
    await service.app.changer.change({
      scope: 'everything',
      orderId: canceled.serviceOrderId,
      command: { name: 'cancel', cancellation: { reasonId: 'OTHER', by: 'Restaurant', text: '' } },
      actor: { role: 'restaurant' },
    });
    const page = await visitAs(service, { role: 'staff', restaurant, at: '/webhooks', screen });
    const rows = page.getByRole('button', { name: /^Details of/ });
    await page.getByRole('button', { name: `Details of ${canceled.orderNumber}, Failed` }).waitFor();
    await page.getByRole('combobox', { name: 'Endpoint' }).selectOption({ label: 'Cancel' });
    await expect.poll(() => rows.count()).toBe(1);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('textbox', { name: 'Order ID or number' }).fill(kept.orderNumber);
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('button', { name: `Details of ${kept.orderNumber}, Delivered` }).waitFor();
  });

  test('the signature debugger explains what is wrong with a signature', async () => {
    const restaurant = await service.addRestaurant({ receiver, hasSecret: true });
    const page = await visitAs(service, { role: 'owner', restaurant, at: '/webhooks?tab=signature', screen });
    const body = '{"event":"order.status_changed","orderId":"A-1"}';
    const good = createHmac('sha256', restaurant.secret ?? '')
      .update(body)
      .digest('hex');
    await page.getByLabel('Request body').fill(body);
    await page.getByLabel('X-Service-Signature').fill(good);
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText('Signature matches').waitFor();
    await page.getByLabel('X-Service-Signature').fill(good.toUpperCase());
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText('in uppercase').waitFor();
    expect(await page.content()).not.toContain(restaurant.secret);
  });

  test('the receiver check runs its cases and gives advice for each', async () => {
    const restaurant = await service.addRestaurant({ receiver, hasSecret: true });
    answerTo = () => 200;
    const page = await visitAs(service, { role: 'owner', restaurant, at: '/webhooks?tab=receiver', screen });
    await page.getByRole('button', { name: 'Run check' }).click();
    const result = page.getByRole('region', { name: 'of 6 passed' });
    await result.waitFor();
    const verdict = (name: string) => result.getByRole('listitem').filter({ hasText: name });
    await verdict('Valid webhook').getByText('Passed').waitFor();
    await verdict('Wrong signature').getByText('Failed', { exact: true }).waitFor();
    await verdict('Wrong signature').getByText('Your receiver accepted a forged webhook').waitFor();
  });
});

test('the charts show the same figures as a table', async () => {
  const restaurant = await service.addRestaurant({ receiver });
  answerTo = () => 200;
  await approveOne(restaurant);
  const page = await visitAs(service, { role: 'staff', restaurant, at: '/webhooks?tab=figures' });
  await page.getByRole('img', { name: /Chart: Success rate/ }).waitFor();
  await page.getByText('Show as table').click();
  await page.getByRole('table').getByText('100%').first().waitFor();
});

test('only an owner can discard a webhook', async () => {
  const restaurant = await service.addRestaurant({ receiver });
  answerTo = () => 500;
  const { orderNumber } = await approveOne(restaurant);
  const staff = await visitAs(service, { role: 'staff', restaurant, at: '/webhooks' });
  await staff
    .getByRole('button', { name: `Details of ${orderNumber}` })
    .first()
    .click();
  expect(await reasonOf(staff, 'Discard')).toBe('Only an owner can do this');
  const owner = await visitAs(service, { role: 'owner', restaurant, at: '/webhooks?outcome=waiting' });
  await owner.getByRole('button', { name: `Details of ${orderNumber}` }).click();
  await owner.getByRole('button', { name: 'Discard' }).click();
  const question = owner.getByRole('dialog', { name: 'Discard this webhook?' });
  await question.getByRole('button', { name: 'Discard' }).click();
  await owner.getByText('Webhook discarded').waitFor();
  answerTo = () => 200;
});
