import { createHmac } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthority } from '../../src/robots/certificates.ts';
import { reasonOf, startPanelService, useChromium } from '../browser/browser.ts';
import { SCREENS, type Screen } from '../../harness/browser/chromium.ts';
import { startReceiver, type Receiver } from '../../harness/receivers/receiver.ts';
import { sampleOrder } from '../scenes/sample-order.ts';
import type { TestService } from '../../harness/service/service.ts';

let service: TestService;
let receiver: Receiver;
const { visitAs } = useChromium();

beforeAll(async () => {
  service = await startPanelService({ roles: ['api', 'deliver'] });
  receiver = await startReceiver();
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

const AT = '/settings/integration';
const part = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

/** Reads a secret that is shown only once, and confirms that it has been stored. */
async function readOnce(page: Page, label: string): Promise<string> {
  const dialog = page.getByRole('dialog');
  const shown = dialog.getByRole('definition').filter({ has: page.getByRole('button', { name: `Copy ${label}` }) });
  const value = (await shown.locator('code').textContent()) ?? '';
  expect(await reasonOf(page, 'Done')).toBe('Confirm that you saved it');
  await dialog.getByRole('checkbox', { name: 'I saved it in a safe place' }).check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'hidden' });
  return value;
}

async function createKey(page: Page): Promise<string> {
  await part(page, 'API Key').getByRole('button', { name: 'New key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  return readOnce(page, 'API key');
}

async function createSecret(page: Page, name = 'Create secret'): Promise<string> {
  await part(page, 'Webhook Secret').getByRole('button', { name }).click();
  await page.getByRole('dialog').getByRole('button', { name }).click();
  return readOnce(page, 'Webhook secret');
}

async function saveUrls(page: Page): Promise<void> {
  await page.getByLabel('Status Update Webhook URL').fill(receiver.url('/status'));
  await page.getByLabel('Cancel Webhook URL').fill(receiver.url('/cancel'));
  await page.getByRole('button', { name: 'Check and save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Check and save' });
  const check = dialog.getByRole('region', { name: 'Status Update Webhook URL' });
  await check.getByText('Resolves to 127.0.0.1').waitFor();
  await check.getByText('Private address (allowed on this installation)').waitFor();
  await check.getByText('days left').waitFor();
  await check.getByText('Status 200').waitFor();
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Webhook URLs saved').waitFor();
}

function postOrder(headers: Record<string, string>, body: object): Promise<Response> {
  return fetch(`${service.address}/webhook/third-party/order`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

describe.for(Object.keys(SCREENS) as Screen[])('on a %s', (screen) => {
  test('the whole integration works: key, URLs, secret, an order, its signed webhook, and revoking the key', async () => {
    const restaurant = await service.addRestaurant();
    const page = await visitAs(service, { role: 'owner', restaurant, at: AT, screen });
    const apiKey = await createKey(page);
    const secret = await createSecret(page);
    await saveUrls(page);

    const placed = await postOrder(
      { 'x-api-key': apiKey },
      { ...sampleOrder(), restaurantId: restaurant.restaurantId },
    );
    expect(placed.status).toBe(201);
    const order = (await placed.json()) as { orderId: string; serviceOrderId: string; orderNumber: string };

    await page.getByRole('link', { name: 'Orders' }).click();
    await page.getByRole('button', { name: `Approve #${order.orderNumber}` }).click();
    const ofOrder = () => receiver.requests.filter(({ body }) => body.includes(order.serviceOrderId));
    await receiver.waitFor(() => ofOrder().length === 1);
    const [webhook] = ofOrder();
    expect(webhook?.path).toBe('/status');
    expect(JSON.parse(webhook?.body.toString() ?? '')).toMatchObject({
      event: 'order.status_changed',
      orderId: order.orderId,
      status: 'VALIDATED',
      previousStatus: 'NEW',
      providerRestaurantId: restaurant.restaurantId,
    });
    const expected = createHmac('sha256', secret)
      .update(webhook?.body ?? '')
      .digest('hex');
    expect(webhook?.headers['x-service-signature']).toBe(expected);

    await page.goto(service.address + AT);
    await page.getByRole('button', { name: `Revoke ${apiKey.slice(0, 12)}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('API key revoked').waitFor();
    const again = { ...sampleOrder(), restaurantId: restaurant.restaurantId };
    const refused = async () => (await postOrder({ 'x-api-key': apiKey }, again)).status;
    await expect.poll(refused, { timeout: 5_000 }).toBe(401);
    for (const text of [apiKey, secret]) expect(await page.content()).not.toContain(text);
  });

  test('Basic credentials are shown once, work, and stop working when revoked', async () => {
    const restaurant = await service.addRestaurant();
    const page = await visitAs(service, { role: 'owner', restaurant, at: AT, screen });
    const card = part(page, 'Basic Auth');
    await card.getByRole('button', { name: 'New credentials' }).click();
    const codes = page.getByRole('dialog').locator('code');
    await codes.nth(1).waitFor();
    const [username = '', password = ''] = await codes.allTextContents();
    await readOnce(page, 'Password');
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const order = { ...sampleOrder(), restaurantId: restaurant.restaurantId };
    expect((await postOrder({ authorization }, order)).status).toBe(201);
    await card.getByRole('button', { name: `Revoke ${username}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Credentials revoked').waitFor();
    await expect.poll(async () => (await postOrder({ authorization }, order)).status).toBe(401);
    expect(await page.content()).not.toContain(password);
  });

  test('a second secret stays pending until it is switched to', async () => {
    const restaurant = await service.addRestaurant({ receiver });
    const page = await visitAs(service, { role: 'owner', restaurant, at: AT, screen });
    await createSecret(page);
    const next = await createSecret(page, 'Create next secret');
    const card = part(page, 'Webhook Secret');
    await card.getByText('Pending', { exact: true }).waitFor();
    expect(await reasonOf(page, 'Create next secret')).toBe('Switch to the pending secret or remove it first');
    await card.getByRole('button', { name: 'Switch' }).click();
    const dialog = page.getByRole('dialog', { name: 'Switch to the pending secret?' });
    await dialog.getByRole('button', { name: 'Send test event' }).click();
    await dialog.getByText('Status 200').waitFor();
    const sent = receiver.requests.at(-1);
    const signature = createHmac('sha256', next)
      .update(sent?.body ?? '')
      .digest('hex');
    expect(sent?.headers['x-service-signature']).toBe(signature);
    await dialog.getByRole('button', { name: 'Switch', exact: true }).click();
    await page.getByText('Webhooks are now signed with the new secret').waitFor();
    await card.getByText('Pending', { exact: true }).waitFor({ state: 'hidden' });
    await card.getByRole('button', { name: 'Remove the active secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await card.getByText("Webhooks aren't signed").waitFor();
  });
});

test('an invalid URL is rejected while typing; one that fails its check can be saved with a confirmation', async () => {
  const restaurant = await service.addRestaurant();
  const page = await visitAs(service, { role: 'owner', restaurant, at: AT });
  const status = page.getByLabel('Status Update Webhook URL');
  await status.fill('http://hooks.example/status');
  await page.getByText('https', { exact: false }).first().waitFor();
  expect(await reasonOf(page, 'Check and save')).not.toBe('');
  await status.fill('https://127.0.0.1/status');
  expect(await reasonOf(page, 'Check and save')).not.toBe('');
  await status.fill('https://nobody-is-there.invalid/status');
  await page.getByRole('button', { name: 'Check and save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Check and save' });
  await dialog.getByText('The check found a problem').waitFor();
  const steps = await dialog.getByRole('region').getByRole('listitem').allInnerTexts();
  expect(steps.map((step) => step.split(/\n+/).slice(0, 2))).toEqual([
    ['Host name', 'Failed'],
    ['Address', 'Skipped'],
    ['Certificate', 'Skipped'],
    ['Test event', 'Skipped'],
  ]);
  await dialog.getByText('Check the spelling of the host name').waitFor();
  await dialog.getByRole('button', { name: 'Save anyway' }).click();
  await page.getByText('Webhook URLs saved').waitFor();
  await page.reload();
  await expect.poll(() => status.inputValue()).toBe('https://nobody-is-there.invalid/status');
  const stranger = await startReceiver({ authority: await createAuthority('Nobody', { now: Date.now() }) });
  try {
    await status.fill(stranger.url());
    await page.getByRole('button', { name: 'Check and save' }).click();
    const chain = await dialog.getByRole('list', { name: 'Chain' }).innerText();
    expect(chain.split(/\n+/)).toEqual([
      'localhost, issued by Nobody · Not issued by a trusted certificate authority',
      expect.stringMatching(/^Valid from \d+ \w+ \d{4} to \d+ \w+ \d{4}$/),
      'For localhost',
    ]);
  } finally {
    await stranger.close();
  }
});

test('disabling refuses orders and holds webhooks; enabling shows how many it sends', async () => {
  const restaurant = await service.addRestaurant({ receiver });
  const placed = await service.post(restaurant, sampleOrder());
  const { serviceOrderId } = (await placed.json()) as { serviceOrderId: string };
  const page = await visitAs(service, { role: 'owner', restaurant, at: AT });
  await page.getByRole('switch', { name: 'Integration enabled' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await page.getByText('Integration disabled').waitFor();
  await expect.poll(async () => (await service.post(restaurant, sampleOrder())).status).toBe(403);
  const approval = {
    scope: 'everything',
    orderId: serviceOrderId,
    command: { name: 'approve' },
    actor: { role: 'restaurant' },
  } as const;
  expect((await service.app.changer.change(approval)).kind).toBe('changed');
  await page.reload();
  await page.getByText('1 held webhook while the integration is disabled').waitFor();
  await page.getByRole('switch', { name: 'Integration enabled' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Enable and send 1 held webhook' }).click();
  await receiver.waitFor((all) => all.some(({ body }) => body.includes(serviceOrderId)));
});

test('delivery metadata adds headers starting with the next webhook', async () => {
  const restaurant = await service.addRestaurant({ receiver });
  const page = await visitAs(service, { role: 'owner', restaurant, at: AT });
  await page.getByRole('switch', { name: 'Send extra headers' }).click();
  await page.getByText('Extra headers enabled').waitFor();
  const placed = await service.post(restaurant, sampleOrder());
  const { serviceOrderId } = (await placed.json()) as { serviceOrderId: string };
  await service.app.changer.change({
    scope: 'everything',
    orderId: serviceOrderId,
    command: { name: 'approve' },
    actor: { role: 'restaurant' },
  });
  const mine = () => receiver.requests.find(({ body }) => body.includes(serviceOrderId));
  await receiver.waitFor(() => mine() !== undefined);
  expect(Object.keys(mine()?.headers ?? {})).toContain('webhook-id');
});

test('staff can see the settings and why they cannot change them', async () => {
  const restaurant = await service.addRestaurant({ receiver, hasSecret: true });
  const page = await visitAs(service, { role: 'staff', restaurant, at: AT });
  await page.getByText('Only an owner can change them').waitFor();
  for (const name of ['New key', 'New credentials', 'Create next secret', 'Check and save']) {
    expect(await reasonOf(page, name)).toBe('Only an owner can change this');
  }
});
