import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { watchEndpoints } from '../../src/actions/webhooks/watch-endpoints.ts';
import { createDatabaseClock } from '../../src/runtime/database-clock.ts';
import { MINUTE_MS } from '../../src/domain/time.ts';
import { createPlatform } from '../../src/platform.ts';
import { insertEpoch } from '../../src/store/upkeep/epochs.ts';
import { saveTroubles } from '../../src/store/upkeep/set-aside.ts';
import { readClipboard, startPanelService, useChromium } from '../browser/browser.ts';
import { SCREENS, type Screen } from '../../harness/browser/chromium.ts';
import { addLogin } from '../../harness/service/panel-client.ts';
import { startReceiver, type Answer, type Receiver } from '../../harness/receivers/receiver.ts';
import { sampleOrder } from '../scenes/sample-order.ts';
import { startService, type TestRestaurant, type TestService } from '../../harness/service/service.ts';
import { createShiftedClock, type ShiftedClock } from '../showcase/story.ts';

let service: TestService;
let receiver: Receiver;
let clock: ShiftedClock;
let answerTo: () => Answer = () => 500;
const { visitAs } = useChromium();

beforeAll(async () => {
  clock = createShiftedClock(0);
  service = await startPanelService({ roles: ['api', 'deliver'], platform: createPlatform(undefined, clock) });
  receiver = await startReceiver({ onRequest: () => answerTo() });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

/** A case that the service opens automatically, because the endpoint has failed for more than a day. */
async function openCase(restaurant: TestRestaurant): Promise<void> {
  answerTo = () => 500;
  const placed = await service.post(restaurant, sampleOrder());
  const { serviceOrderId: orderId } = (await placed.json()) as { serviceOrderId: string };
  await service.app.changer.change({
    scope: 'everything',
    orderId,
    command: { name: 'approve' },
    actor: { role: 'restaurant' },
  });
  await receiver.waitFor((all) => all.some(({ body }) => body.includes(orderId)));
  const failing =
    "update endpoints set failing_since = failing_since - interval '25 hours' where restaurant_id = $1 and failing_since is not null returning kind";
  await expect.poll(() => service.app.db.query(failing, [restaurant.id])).not.toEqual([]);
  await watchEndpoints({ ...service.app, publicUrl: service.address, operatorEmail: 'operator@example.com' });
}

describe.for(Object.keys(SCREENS) as Screen[])('on a %s', (screen) => {
  test('a restaurant is added and opened as its owner, and both actions are in the audit log', async () => {
    const page = await visitAs(service, { role: 'operator', at: '/operator/restaurants', screen });
    const name = `Bistro ${screen}`;
    await page.getByRole('button', { name: 'Add restaurant' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Add restaurant' });
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    await dialog.getByLabel('restaurantId').fill(`bistro-${screen}`);
    await dialog.getByRole('button', { name: 'Add restaurant' }).click();
    await page.getByText(`${name} added`).waitFor();

    await page.getByRole('button', { name: `Sign in as ${name}` }).click();
    await page
      .getByRole('dialog', { name: `Sign in as ${name}?` })
      .getByRole('button', { name: 'Sign in as' })
      .click();
    await page.getByText(`you're signed in as ${name}. Your actions are recorded in the audit log.`).waitFor();
    await heading(page, 'Orders').waitFor();
    await page.getByRole('button', { name: 'Back to operator console' }).click();
    await heading(page, 'Overview').waitFor();
    await page.goto(`${service.address}/operator/audit`);
    for (const action of ['restaurant.added', 'operator.signed_in_as_restaurant']) {
      const entry = page.getByRole('row').filter({ hasText: action }).first();
      await entry.getByText('127.0.0.1', { exact: true }).waitFor();
    }
  });

  test('what is uncertain after a restore is listed until an operator dismisses it', async () => {
    const { clock: serviceClock, newId, db } = service.app;
    const now = serviceClock.now();
    await db.transaction((tx) =>
      insertEpoch(tx, { id: newId(), cause: 'restored', startedAt: now - 20 * MINUTE_MS, dataUntil: now - 3_600_000 }),
    );
    const page = await visitAs(service, { role: 'operator', at: '/operator', screen });
    await page.getByText('This installation was restored from a backup').waitFor();
    const notice = page.getByRole('status').filter({ hasText: 'restored from a backup' });
    await notice.getByText('Restored 20 min ago.').waitFor();
    await notice.getByText('revoked since then work again').waitFor();
    await notice.getByRole('link', { name: 'Users' }).waitFor();
    await notice.getByRole('button', { name: 'Copy Command for the server' }).click();
    expect(await readClipboard(page)).toBe('npm run waybill -- revoke --since TIME --dry-run');
    await page.getByRole('button', { name: 'Dismiss for all operators' }).click();
    const dialog = page.getByRole('dialog', { name: 'Dismiss this notice?' });
    await dialog.getByRole('button', { name: 'Dismiss for all operators' }).click();
    await page.getByText('Notice dismissed').waitFor();
    await page.getByText('This installation was restored from a backup').waitFor({ state: 'detached' });
  });

  test('a support case is contacted, annotated, probed and resolved', async () => {
    const restaurant = await service.addRestaurant({ receiver, name: `Failing on a ${screen}` });
    await openCase(restaurant);
    const page = await visitAs(service, { role: 'operator', at: '/operator/support', screen });
    await page
      .getByRole('link', { name: `Failing on a ${screen}` })
      .first()
      .click();
    await heading(page, new RegExp(`^Failing on a ${screen}`)).waitFor();
    await page.getByRole('button', { name: 'Mark as contacted' }).click();
    await page.getByText('Marked as contacted').first().waitFor();
    await page.getByLabel('New note').fill('Called them; a certificate is being replaced');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByText('Called them; a certificate is being replaced').first().waitFor();
    await page.getByRole('button', { name: 'Probe now' }).click();
    await page.getByText('Reachable', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.goto(`${service.address}/operator/support?state=resolved`);
    await page
      .getByRole('link', { name: `Failing on a ${screen}` })
      .first()
      .waitFor();
  });

  test('a courier is added off duty, put on duty and assigned a shift', async () => {
    const page = await visitAs(service, { role: 'operator', at: '/operator/couriers', screen });
    const name = `Bo Larsen ${screen}`;
    await page.getByRole('button', { name: 'Add courier' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Add courier' });
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    await dialog.getByRole('button', { name: /Add courier|Save/ }).click();
    await page.getByRole('link', { name }).click();
    await heading(page, name).waitFor();
    await page.getByRole('button', { name: 'Put on duty' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Put on duty' }).click();
    await page.getByText('Duty status changed').waitFor();
    await page.getByRole('button', { name: 'Take off duty' }).waitFor();
    await page.getByLabel('From (UTC)').fill('2030-01-01T10:00');
    await page.getByLabel('To (UTC)').fill('2030-01-01T18:00');
    await page.getByRole('button', { name: 'Add shift' }).click();
    await page.getByText('Shift added').waitFor();
  });

  test('a user is found in the list and disabled', async () => {
    const restaurant = await service.addRestaurant();
    const login = await addLogin(service, 'staff', { restaurant });
    const page = await visitAs(service, { role: 'operator', at: `/operator/users?q=${login.email}`, screen });
    await page.getByRole('button', { name: `Actions: ${login.email}` }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('row').filter({ hasText: login.email }).getByText('Disabled').waitFor();
  });
});

test('the operator disables a restaurant’s integration', async () => {
  const restaurant = await service.addRestaurant({ name: 'Switched off' });
  const page = await visitAs(service, { role: 'operator', at: '/operator/restaurants?q=Switched' });
  await page.getByRole('button', { name: 'Actions: Switched off' }).click();
  await page.getByRole('menuitem', { name: 'Disable integration' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disable integration' }).click();
  await page.getByText('Restaurant updated').waitFor();
  await expect.poll(async () => (await service.post(restaurant, sampleOrder())).status).toBe(403);
});

test('the settings page shows no secret', async () => {
  const page = await visitAs(service, { role: 'operator', at: '/operator/settings' });
  await heading(page, 'Settings').waitFor();
  await page.getByText('WAYBILL_PORT', { exact: true }).waitFor();
  expect(await page.content()).not.toContain(service.masterKey.toString('base64'));
});

test('restaurant users are redirected away from the operator console', async () => {
  const restaurant = await service.addRestaurant();
  const page = await visitAs(service, { role: 'owner', restaurant, at: '/operator/restaurants' });
  await heading(page, 'Orders').waitFor();
});

test('an operator who opens a restaurant link is redirected to the console', async () => {
  const page = await visitAs(service, { role: 'operator', at: '/webhooks' });
  await heading(page, 'Overview').waitFor();
});

test('each set-aside entry shows who is affected, what happened, since when and what to do', async () => {
  const { db, clock: serviceClock, newId } = service.app;
  const restaurant = await service.addRestaurant({ name: 'Soup Set Aside' });
  const placed = await service.post(restaurant, sampleOrder());
  const { serviceOrderId, orderNumber } = (await placed.json()) as { serviceOrderId: string; orderNumber: string };
  const courierId = await service.addCourier('Ines Aside');
  const now = serviceClock.now();
  const trouble = (kind: 'order' | 'courier', id: string) => ({ kind, id, reason: `The ${kind} is unreadable` });
  const planning = [trouble('order', serviceOrderId), trouble('courier', courierId), trouble('order', newId())];
  await saveTroubles(db, { work: 'planning', troubles: planning, now });
  const watched = { kind: 'restaurant' as const, id: restaurant.id, reason: 'The URL is unreadable' };
  await saveTroubles(db, { work: 'endpoint_watch', troubles: [watched], now });
  await db.query(`update set_aside set first_failed_at = first_failed_at - interval '48 min'`);

  const page = await visitAs(service, { role: 'operator', at: '/operator/overview' });
  await page.getByText('4 entries are set aside because Waybill could not process them').waitFor();
  const table = page.getByRole('table', { name: 'Set aside' });
  const row = (name: string) => table.getByRole('row').filter({ hasText: name });
  await row(`Order #${orderNumber}`).getByText('The planner skips this order').waitFor();
  await row(`Order #${orderNumber}`).getByText('Reason: The order is unreadable').waitFor();
  await row(`Order #${orderNumber}`).getByText('48 min ago').waitFor();
  await row(`Order #${orderNumber}`).getByText('move it to a courier, or cancel it').waitFor();
  await row('Deleted order').getByText('Nothing. The entry disappears automatically.').waitFor();
  await row('Restaurant Soup Set Aside').getByText('Check its webhook URLs').waitFor();
  await row(`Order #${orderNumber}`)
    .getByRole('button', { name: `Copy ID of Order #${orderNumber}` })
    .click();
  expect(await readClipboard(page)).toBe(serviceOrderId);

  for (const [link, title] of [
    [`Order #${orderNumber}`, `#${orderNumber}`],
    ['Courier Ines Aside', 'Ines Aside'],
    ['Restaurant Soup Set Aside', 'Restaurants'],
  ] as const) {
    await table.getByRole('link', { name: link }).press('Enter');
    await heading(page, title).waitFor();
    await page.goBack();
  }
});

test('a node with a wrong clock is listed with its offset and what to do', async () => {
  const ahead = { now: () => Date.now() + 94_000, monotonicMs: () => performance.now() };
  const { databaseUrl, masterKey } = service;
  const platform = createPlatform(undefined, createDatabaseClock(ahead));
  const other = await startService({ databaseUrl, masterKey, roles: ['api'], platform });
  try {
    const page = await visitAs(service, { role: 'operator', at: '/operator/overview' });
    await page.getByText("The clock of the api node is 1 min ahead compared with the database's.").waitFor();
    await page.getByText('Check NTP on that machine. Its log shows since when (clock.differs)').waitFor();
    await page.getByRole('table', { name: 'Nodes' }).getByText('1 min ahead').waitFor();
  } finally {
    await other.stop();
  }
});
