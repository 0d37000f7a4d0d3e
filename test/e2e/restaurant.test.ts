import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reasonOf, startPanelService, useChromium } from '../browser/browser.ts';
import { SCREENS, type Screen } from '../../harness/browser/chromium.ts';
import { addLogin } from '../../harness/service/panel-client.ts';
import { sampleOrder } from '../scenes/sample-order.ts';
import type { TestService } from '../../harness/service/service.ts';

let service: TestService;
const { visitAs } = useChromium();

beforeAll(async () => {
  service = await startPanelService({ roles: ['api', 'deliver'] });
});
afterAll(() => service.stop());

const AT = '/settings/restaurant';
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

async function save(page: Page, name: string): Promise<void> {
  await card(page, name).getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => card(page, name).getByRole('button', { name: 'Discard changes' }).count()).toBe(0);
}

describe.for(Object.keys(SCREENS) as Screen[])('on a %s', (screen) => {
  test('name, time zone, address and pin are saved and shown again', async () => {
    const restaurant = await service.addRestaurant({ name: 'Old name' });
    const page = await visitAs(service, { role: 'owner', restaurant, at: AT, screen });
    const general = card(page, 'General');
    expect(await general.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true');
    await general.getByLabel('Name', { exact: true }).fill('Trattoria Fontana');
    await general.getByLabel('Contact email').fill('orders@fontana.example');
    await save(page, 'General');
    const place = card(page, 'Location');
    await place.getByLabel('Address').fill('Moda Caddesi 88');
    await place.getByLabel('Latitude').fill('40.9876');
    await place.getByLabel('Longitude').fill('29.0301');
    await save(page, 'Location');
    await page.reload();
    await expect.poll(() => general.getByLabel('Name', { exact: true }).inputValue()).toBe('Trattoria Fontana');
    expect(await place.getByLabel('Latitude').inputValue()).toBe('40.9876');
    await page.getByText('Trattoria Fontana').filter({ visible: true }).first().waitFor();
  });

  test('new orders are auto-approved once the switch is on', async () => {
    const restaurant = await service.addRestaurant();
    const page = await visitAs(service, { role: 'owner', restaurant, at: AT, screen });
    await page.getByRole('switch', { name: 'Approve orders automatically' }).click();
    await card(page, 'Taking orders').getByLabel('Preparation time').fill('25');
    await save(page, 'Taking orders');
    const placed = await service.post(restaurant, sampleOrder());
    expect(await placed.json()).toMatchObject({ status: 'VALIDATED' });
  });

  test('outside opening hours an ASAP order is canceled, and overlapping hours cannot be saved', async () => {
    const restaurant = await service.addRestaurant();
    const page = await visitAs(service, { role: 'owner', restaurant, at: AT, screen });
    const hours = card(page, 'Opening hours');
    await hours.getByRole('switch', { name: 'Always open' }).click();
    for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']) {
      await hours.getByRole('button', { name: `Remove hours 1 on ${day}` }).click();
    }
    await save(page, 'Opening hours');
    const placed = await service.post(restaurant, sampleOrder({ timing: { asap: true } }));
    expect(await placed.json()).toMatchObject({ status: 'CANCELED' });
    for (const number of [1, 2]) {
      await hours.getByRole('button', { name: 'Add hours on Monday' }).click();
      await hours.getByLabel(`Monday, opens (${number})`).fill('10:00');
      await hours.getByLabel(`Monday, closes (${number})`).fill('14:00');
    }
    await hours.getByText('These hours overlap').waitFor();
    expect(await hours.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true');
  });

  test('an owner changes the team: roles, access, removal', async () => {
    const restaurant = await service.addRestaurant();
    const colleague = await addLogin(service, 'staff', { restaurant });
    const page = await visitAs(service, { role: 'owner', restaurant, at: '/team', screen });
    const act = async (item: string): Promise<void> => {
      await page.getByRole('button', { name: `Actions: ${colleague.email}` }).click();
      await page.getByRole('menuitem', { name: item }).click();
      await page.getByRole('dialog').getByRole('button', { name: item }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    };
    const row = page.getByRole('row').filter({ hasText: colleague.email });
    await act('Make owner');
    await row.getByText('Owner').waitFor();
    await act('Disable');
    await row.getByText('Disabled').waitFor();
    await act('Enable');
    await row.getByText('Active').waitFor();
    await act('Remove');
    await row.waitFor({ state: 'hidden' });
  });
});

test('staff can see the settings and the team, and why they cannot change them', async () => {
  const restaurant = await service.addRestaurant();
  const page = await visitAs(service, { role: 'staff', restaurant, at: AT });
  await page.getByText('Only an owner can change them').waitFor();
  expect(await page.getByLabel('Name', { exact: true }).getAttribute('readonly')).not.toBeNull();
  await page.goto(`${service.address}/team`);
  expect(await reasonOf(page, 'Invite')).toBe('Only an owner can change the team');
});
