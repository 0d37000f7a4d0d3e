// The plan on the pages: why each order is where it is, who else could carry it, and how the operator can override it.
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addCourier, type AddCourierRequest } from '../../src/actions/couriers/add-courier.ts';
import { createPlatform } from '../../src/platform.ts';
import { findOrderById } from '../../src/store/orders/orders.ts';
import { reasonOf, startPanelService, useChromium } from '../browser/browser.ts';
import { SCREENS, type Screen } from '../../harness/browser/chromium.ts';
import type { TestRestaurant, TestService } from '../../harness/service/service.ts';
import { createSimulatedClock } from '../../harness/clocks/simulated.ts';

let service: TestService;
let towns = 0;
const { visitAs } = useChromium();

beforeAll(async () => {
  // The clock does not move: a courier has one minute to answer, and a busy machine may need longer for all the checks.
  const clock = createSimulatedClock(new Date().toISOString());
  service = await startPanelService({ platform: createPlatform(undefined, clock) });
});
afterAll(() => service.stop());

interface Town {
  restaurant: TestRestaurant;
  latitude: number;
  longitude: number;
}

/** A town far from all others, with two couriers on duty, one of them farther away, and one off duty. */
async function buildTown(preparationMinutes: number): Promise<Town> {
  towns += 1;
  const kitchen = { latitude: 10 + towns, longitude: 29 };
  const restaurant = await service.addRestaurant({ autoApprove: true, preparationMinutes, ...kitchen });
  const hire = async (name: string, more: Partial<AddCourierRequest>): Promise<void> => {
    const own = { phone: null, restaurantId: restaurant.id, actor: { name: 'test' } };
    const added = await addCourier(service.app, { name, ...own, ...kitchen, onDuty: true, ...more });
    if (added.kind === 'refused') throw new Error(added.refusal.code);
  };
  await hire('Nea Near', {});
  await hire('Finn Far', { latitude: kitchen.latitude + 0.03 });
  await hire('Hope Home', { onDuty: false });
  return { restaurant, ...kitchen };
}

/** A pool courier, farther away than the town's own. */
async function hirePool(name: string, { latitude, longitude }: Town): Promise<void> {
  const place = { latitude: latitude + 0.05, longitude };
  const added = await addCourier(service.app, {
    name,
    phone: null,
    restaurantId: null,
    actor: { name: 'test' },
    ...place,
    onDuty: true,
  });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
}

async function place({ restaurant, latitude, longitude }: Town, more: object = {}): Promise<string> {
  const dropoff = { location: { latitude, longitude: longitude + 0.01 } };
  const answer = await service.post(restaurant, { orderId: `plan-${performance.now()}`, dropoff, ...more });
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

const courierOf = async (orderId: string) => (await findOrderById(service.app.db, orderId))?.courier?.name;
const toast = (page: Page, text: string) => page.getByText(text, { exact: true });

describe.for(Object.keys(SCREENS) as Screen[])('on a %s', (screen) => {
  test('a restaurant sees why a courier was chosen, and picks another by detour, time and load', async () => {
    const town = await buildTown(0);
    await hirePool(`Pia Pool on a ${screen}`, town);
    const orderId = await place(town);
    await expect.poll(() => courierOf(orderId), { timeout: 20_000 }).toBe('Nea Near');
    const page = await visitAs(service, {
      role: 'staff',
      restaurant: town.restaurant,
      at: `/orders/${orderId}`,
      screen,
    });
    await page.getByText('Offered to Nea Near').waitFor();
    await page.getByRole('button', { name: 'Assign courier' }).click();
    const dialog = page.getByRole('dialog');
    const row = (name: string) => dialog.locator('label').filter({ has: page.getByRole('radio', { name }) });
    await row('Finn Far')
      .getByText(/Detour \+\d+ min/)
      .waitFor();
    expect(await row('Finn Far').innerText()).toMatch(/Drop-off[\s\S]*No orders, room for 4 bags · 3\.3 km/);
    // For pool couriers, restaurants see approximate figures only.
    expect(await row(`Pia Pool on a ${screen}`).innerText()).toMatch(
      /Detour \d+–\d+ min[\s\S]*Pickup in \d+–\d+ min[\s\S]* \d+–\d+ km from/,
    );
    await dialog.getByText('Distances and times of pool couriers are ranges').waitFor();
    expect(await row('Nea Near').innerText()).toContain('Already has this order.');
    expect(await row('Hope Home').innerText()).toContain('Off duty.');
    expect(await dialog.getByRole('radio', { name: 'Hope Home' }).isDisabled()).toBe(true);
    expect(await reasonOf(page, /^Assign$/)).toBe('Select a courier');
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    await dialog.getByRole('radio', { name: 'Finn Far' }).check();
    await dialog.getByRole('button', { name: 'Assign' }).click();
    await page.getByText('Offered to Finn Far').waitFor();
    expect(await courierOf(orderId)).toBe('Finn Far');
  });

  test('an order that no courier can reach in time raises an alarm on the board with what to do', async () => {
    const town = await buildTown(0);
    await place(town, { package: { count: 50 } });
    const page = await visitAs(service, { role: 'staff', restaurant: town.restaurant, at: '/orders', screen });
    const alarm = page.getByRole('alert').filter({ hasText: 'No courier in time' });
    await alarm.getByText('Assign a courier manually').waitFor();
    await alarm.getByRole('link', { name: 'View order' }).click();
    await page.getByText('The order is too large for every courier on duty.').waitFor();
    await alarm.getByText('Assign a courier manually').waitFor();
  });

  test('the operator sees waiting orders; locks, moves, re-plans and cancels one; the audit log has each action', async () => {
    const town = await buildTown(30);
    await place(town, { package: { count: 50 } });
    const orderId = await place(town);
    const page = await visitAs(service, { role: 'operator', at: '/operator/planning', screen });
    await page
      .getByRole('table', { name: 'Waiting orders' })
      .getByText('Too large for every courier')
      .first()
      .waitFor();
    await page.getByRole('table', { name: 'Regions' }).getByText('estimate').first().waitFor();

    await page.goto(`${service.address}/operator/orders/${orderId}`);
    await page.getByText('Planned for Nea Near').waitFor();
    await page.getByText(/Finn Far, .*min more/).waitFor();
    await page.getByRole('button', { name: 'Lock to Nea Near' }).click();
    const confirm = page.getByRole('dialog');
    await confirm.getByText('Only Nea Near can get this order until you unlock it').waitFor();
    await confirm.getByRole('button', { name: 'Lock to Nea Near' }).click();
    await toast(page, 'Locked to Nea Near').waitFor();
    await page.getByRole('button', { name: 'Unlock from Nea Near' }).waitFor();

    await page.getByRole('button', { name: 'Re-plan now' }).click();
    await confirm.getByRole('button', { name: 'Re-plan now' }).click();
    await toast(page, 'Re-planning started').waitFor();

    await page.getByRole('button', { name: 'Move to courier' }).click();
    await confirm.getByText('The courier you choose gets an offer immediately').waitFor();
    await confirm.getByRole('radio', { name: 'Finn Far' }).check();
    await confirm.getByRole('button', { name: 'Move order' }).click();
    await toast(page, 'Moved to Finn Far').waitFor();
    await page.getByText('Offered to Finn Far').waitFor();
    expect(await courierOf(orderId)).toBe('Finn Far');
    await page.getByRole('button', { name: 'Unlock from Finn Far' }).waitFor();

    await page.getByRole('button', { name: 'Cancel order' }).click();
    await confirm.getByText('Finn Far has the order and is notified immediately').waitFor();
    await confirm.getByLabel('On behalf of').selectOption({ label: 'The courier' });
    await confirm.getByLabel('Reason').selectOption({ label: 'Customer not available' });
    await confirm.getByRole('button', { name: 'Cancel order' }).click();
    await page.getByRole('main').getByText('Canceled', { exact: true }).waitFor();

    await page.goto(`${service.address}/operator/audit`);
    for (const action of [/order\.canceled/, /order\.moved/, /plan\.requested/, /order\.locked/]) {
      await page.getByText(action).first().waitFor();
    }
  });
});
