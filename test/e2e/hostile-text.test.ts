// What integrators and receivers send is shown as text on every page: it never becomes an element and never runs.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { orderSchema } from '../../src/contract/integrator/orders/schema.ts';
import { startPanelService, useChromium } from '../browser/browser.ts';
import { startReceiver, type Receiver } from '../../harness/receivers/receiver.ts';
import type { TestRestaurant, TestService } from '../../harness/service/service.ts';

const LONG = '<img src="/x" class="hostile" onerror="ran=1"><script class="hostile">ran=1</script>';
const SHORT = '<b class=hostile>x';
const ANSI = '\u001b[31mred\u001b[0m\u0007';

let service: TestService;
let receiver: Receiver;
let restaurant: TestRestaurant;
const { visitAs } = useChromium();

beforeAll(async () => {
  service = await startPanelService({ roles: ['api', 'deliver'] });
  receiver = await startReceiver({
    onRequest: () => ({
      status: 500,
      body: LONG + ANSI,
      headers: { 'content-type': 'text/html', 'retry-after': SHORT },
    }),
  });
  restaurant = await service.addRestaurant({ receiver });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

interface Schema {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  maxLength?: number;
  minimum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
}

/** Fields with a required format, which excludes hostile text. */
const CHECKED = new Set(['phone', 'email', 'locale']);

/** A value with hostile content in each free text, or undefined if it has no free text. */
function makeHostile(schema: Schema, isRequired: boolean): unknown {
  const { type, enum: values, properties, items, additionalProperties } = schema;
  if (values !== undefined) return isRequired ? values[0] : undefined;
  if (type === 'string') return isFreeText(schema) ? hostileOf(schema.maxLength ?? 0) : undefined;
  if (type === 'array') {
    const item = makeHostile(items ?? {}, false);
    return item === undefined ? undefined : [item];
  }
  if (type === 'object' && typeof additionalProperties === 'object') return { [SHORT]: SHORT };
  if (type === 'object') return makeHostileObject(properties ?? {}, schema.required ?? []);
  return isRequired ? Math.max(1, schema.minimum ?? 1) : undefined;
}

function makeHostileObject(properties: Record<string, Schema>, required: string[]): object | undefined {
  const made = Object.entries(properties)
    .filter(([name]) => !CHECKED.has(name))
    .map(([name, field]) => [name, makeHostile(field, required.includes(name))]);
  const hasText = JSON.stringify(made).includes('hostile');
  return hasText ? Object.fromEntries(made) : undefined;
}

function isFreeText({ format, pattern, maxLength }: Schema): boolean {
  return format === undefined && pattern === undefined && (maxLength ?? 0) >= SHORT.length;
}

function hostileOf(maxLength: number): string {
  return maxLength >= LONG.length + ANSI.length ? LONG + ANSI : SHORT;
}

async function expectInert(page: Page): Promise<void> {
  expect(await page.locator('.hostile').count()).toBe(0);
  expect(await page.evaluate('globalThis.ran')).toBeUndefined();
}

async function placeHostileOrder(): Promise<string> {
  const schema: Schema = JSON.parse(JSON.stringify(z.toJSONSchema(orderSchema.omit({ test: true }))));
  const order = { ...(makeHostile(schema, true) as object), orderId: LONG, [SHORT]: LONG };
  expect(JSON.stringify(order).split('hostile').length).toBeGreaterThan(60);
  const answer = await service.post(restaurant, { ...order, restaurantId: restaurant.restaurantId });
  const body = (await answer.json()) as { serviceOrderId: string };
  expect({ status: answer.status, body }).toMatchObject({ status: 201 });
  return body.serviceOrderId;
}

test('markup in an order and in a receiver’s answer is shown as text', async () => {
  const orderId = await placeHostileOrder();
  const page = await visitAs(service, { role: 'owner', restaurant, at: '/orders' });
  await page.getByRole('article').getByText('<img src="/x"').first().waitFor();
  await expectInert(page);

  await page.getByRole('article').getByRole('link').click();
  await page.getByText('Original request').click();
  await page.getByRole('button', { name: 'Cancel order' }).click();
  await page.getByRole('dialog').getByLabel('Message to the integrator').fill(LONG);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel order' }).click();
  const timeline = page.getByRole('list', { name: 'History of the order and its webhooks' });
  // The order has two webhooks, and their attempts appear one after the other.
  const attempts = timeline.getByText('Request and response');
  await expect.poll(() => attempts.count()).toBe(2);
  for (const summary of await attempts.all()) await summary.click();
  await timeline.getByText('onerror="ran=1"').first().waitFor();
  await expectInert(page);

  await page.goto(`${service.address}/webhooks`);
  await page
    .getByRole('button', { name: /^Details of/ })
    .first()
    .click();
  await page.getByRole('dialog').getByText('onerror="ran=1"').first().waitFor();
  await expectInert(page);
  await page.goto(`${service.address}/webhooks?tab=receiver`);
  await page.getByRole('button', { name: 'Run check' }).click();
  await page.getByRole('region', { name: 'of 6 passed' }).waitFor();
  await page.getByText('Request and response').first().click();
  await page.getByText('onerror="ran=1"').first().waitFor();
  await expectInert(page);
  expect(orderId).not.toBe('');
});

test('markup in a search and in a name is shown as text', async () => {
  const page = await visitAs(service, { role: 'owner', restaurant, at: `/orders?q=${encodeURIComponent(SHORT)}` });
  await page.getByText('No orders found').waitFor();
  await expectInert(page);
  await page.goto(`${service.address}/settings/restaurant`);
  await page.getByLabel('Name', { exact: true }).fill(LONG);
  await page.getByRole('region', { name: 'General' }).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  await page.reload();
  await page.getByRole('complementary').getByText('<img src="/x"').waitFor();
  await expectInert(page);
});
