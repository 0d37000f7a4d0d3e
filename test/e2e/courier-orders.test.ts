// Orders that appear, disappear and change places while the courier uses the page: a touch meant for one order must not
// act on another.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OFFER_LIMIT_MS } from '../../src/domain/couriers/courier.ts';
import { createPlatform } from '../../src/platform.ts';
import { listOrderHistory } from '../../src/store/orders/orders.ts';
import { saveOrderPlans } from '../../src/store/planning/plans.ts';
import { startPanelService, useChromium } from '../browser/browser.ts';
import { stateOf } from '../scenes/city.ts';
import { CANCEL_BY_RESTAURANT, openCourierScene, type CourierScene } from '../scenes/courier.ts';
import type { TestService } from '../../harness/service/service.ts';
import { offer, press, waiting, type Placed } from '../scenes/shop.ts';
import { createShiftedClock } from '../showcase/story.ts';

const clock = createShiftedClock(0);
const { visitAs } = useChromium();
let service: TestService;

beforeAll(async () => {
  service = await startPanelService({ roles: ['api', 'deliver'], platform: createPlatform(undefined, clock) });
});
afterAll(() => service.stop());

const openScene = (name?: string) => openCourierScene({ service, visitAs }, name);

/** Plans this order as the courier's first stop. */
async function planFirst({ courierId }: CourierScene, { serviceOrderId }: Placed, pickupAt: number | null = null) {
  const plan = { pickupPlace: 0, dropoffPlace: 1, pickupAt, dropoffAt: null, explanation: null };
  await saveOrderPlans(service.app.db, [{ ...plan, orderId: serviceOrderId, courierId }], clock.now());
}

async function problemsOf({ serviceOrderId }: Placed): Promise<(string | null)[]> {
  const history = await listOrderHistory(service.app.db, serviceOrderId);
  return history.filter(({ kind }) => kind === 'problem_reported').map(({ detail }) => detail);
}

/** Also finds an order behind a dialog. */
const shown = (phone: Page, { orderNumber }: Placed) => phone.locator('main h2').filter({ hasText: orderNumber });

/** Touches each of these buttons as soon as it appears, like a finger that was aiming at something else. */
const touchAtOnce = (...names: string[]) => `
  globalThis.touched = [];
  new MutationObserver(() => {
    for (const button of document.querySelectorAll('button')) {
      if (!${JSON.stringify(names)}.includes(button.textContent) || button.isTouched) continue;
      button.isTouched = true;
      globalThis.touched.push(button.textContent + ' ' + button.getAttribute('aria-disabled'));
      button.click();
    }
  }).observe(document.body, { childList: true, subtree: true });
`;

test('a tap at the moment an offer appears does nothing; a later tap accepts it', async () => {
  const scene = await openScene();
  const phone = await scene.open();
  await waiting(phone).waitFor();
  const answers: string[] = [];
  phone.on('request', (request) => {
    if (request.url().includes('/offers/')) answers.push(request.url());
  });
  await phone.evaluate(touchAtOnce('Accept', 'Decline'));
  const placed = await scene.offer();
  await offer(phone).waitFor();
  await expect.poll(() => phone.evaluate('globalThis.touched')).toEqual(['Decline true', 'Accept true']);
  await phone.locator('button:not([aria-disabled])').filter({ hasText: 'Accept' }).waitFor();
  expect(answers).toEqual([]);
  expect(await phone.getByRole('dialog').count()).toBe(0);
  await press(phone, 'Accept');
  await expect.poll(() => stateOf(service, placed.serviceOrderId)).toBe('ACCEPTED');
});

test('the page keeps its scroll position, and a different stop starts at the top', async () => {
  const scene = await openScene();
  const [mine, other] = [await scene.give(), await scene.give()];
  const phone = await scene.open();
  await phone.clock.install();
  await phone.reload();
  await shown(phone, mine).waitFor();
  const scrolled = () => phone.evaluate('scrollY');
  await phone.evaluate('scrollTo(0, 200)');
  // Timers on the page run, and the page asks the service again.
  await phone.clock.runFor(10_000);
  expect(await scrolled()).toBe(200);
  await planFirst(scene, other);
  await expect
    .poll(async () => {
      await phone.clock.runFor(1_000);
      return shown(phone, other).isVisible();
    })
    .toBe(true);
  await expect.poll(scrolled).toBe(0);
});

test('a map moved by the courier stays put while only times change, and the page scrolls past it', async () => {
  const scene = await openScene();
  const mine = await scene.give();
  const phone = await scene.open();
  const map = phone.getByRole('application', { name: 'Map of your stops' });
  await map.scrollIntoViewIfNeeded();
  const scale = map.locator('.maplibregl-ctrl-scale');
  const readScale = () => scale.textContent();
  await scale.filter({ hasText: 'm' }).waitFor();
  const whole = await readScale();
  await map.hover();
  const before = Number(await phone.evaluate('scrollY'));
  await phone.mouse.wheel(0, 100);
  await expect.poll(() => phone.evaluate('scrollY')).toBeGreaterThan(before);
  expect(await readScale()).toBe(whole);
  await phone.keyboard.down('Control');
  const zoomIn = async () => {
    await phone.mouse.wheel(0, -400);
    return readScale();
  };
  await expect.poll(zoomIn).not.toBe(whole);
  await phone.keyboard.up('Control');
  await planFirst(scene, mine, clock.now());
  await phone.getByText('Planned for').waitFor();
  expect(await readScale()).not.toBe(whole);
});

test('a problem is reported for the order it was started on, even if another order is first by then', async () => {
  const scene = await openScene();
  const [mine, other] = [await scene.give(), await scene.give()];
  const phone = await scene.open();
  await shown(phone, mine).waitFor();
  await press(phone, 'Report a problem');
  const dialog = phone.getByRole('dialog', { name: "What's the problem?" });
  await dialog.getByText(`Order ${mine.orderNumber}, Testaurant`).waitFor();
  await dialog.getByRole('radio', { name: 'Details' }).check();
  await dialog.getByRole('textbox').fill('The bag is torn');
  await planFirst(scene, other);
  await shown(phone, other).waitFor();
  expect(await dialog.getByText(`Order ${mine.orderNumber}, Testaurant`).count()).toBe(1);
  await dialog.getByRole('button', { name: 'Send report' }).click();
  await expect.poll(() => problemsOf(mine)).toEqual(['The bag is torn']);
  expect(await problemsOf(other)).toEqual([]);
});

test('checked items, choices and typed text survive a new offer, and the same tap does not send them', async () => {
  const scene = await openScene();
  const [first, mine] = [await scene.give(), await scene.give()];
  const phone = await scene.open();
  await shown(phone, first).waitFor();
  const rowOf = ({ orderNumber }: Placed) =>
    phone.getByRole('button', { name: new RegExp(`Pick up at .* Order ${orderNumber}`) });
  expect(await rowOf(first).getAttribute('aria-current')).toBe('step');
  await rowOf(mine).click();
  await shown(phone, mine).waitFor();
  await phone.getByRole('checkbox').first().check();
  await press(phone, 'Report a problem');
  const dialog = phone.getByRole('dialog', { name: "What's the problem?" });
  await dialog.getByRole('radio', { name: 'Details' }).check();
  await dialog.getByRole('textbox').fill('The bag is torn');
  await scene.offer();
  await offer(phone).waitFor();
  expect(await phone.getByRole('dialog').count()).toBe(0);
  await phone.evaluate(touchAtOnce('Send report'));
  await press(phone, 'Accept');
  await dialog.waitFor();
  expect(await dialog.getByRole('textbox').inputValue()).toBe('The bag is torn');
  expect(await phone.evaluate('globalThis.touched')).toEqual(['Send report true']);
  await press(phone, 'Send report');
  await expect.poll(() => problemsOf(mine)).toEqual(['The bag is torn']);
  expect(await phone.getByRole('checkbox').first().isChecked()).toBe(true);
});

test('no problem is sent for an order that is gone in the meantime, and the report says so', async () => {
  const scene = await openScene();
  const [mine, other] = [await scene.give(), await scene.give()];
  const phone = await scene.open();
  await shown(phone, mine).waitFor();
  await press(phone, 'Report a problem');
  const dialog = phone.getByRole('dialog', { name: "What's the problem?" });
  await dialog.getByRole('radio', { name: 'Restaurant is closed' }).check();
  await scene.command(mine, CANCEL_BY_RESTAURANT);
  await dialog.getByText("You no longer have this order. There's nothing to report.").waitFor();
  expect(await dialog.getByRole('button', { name: 'Send report' }).count()).toBe(0);
  await dialog.getByRole('button', { name: 'Back' }).click();
  await shown(phone, other).waitFor();
  await phone.getByText(`Order ${mine.orderNumber} was canceled`).waitFor();
  expect([...(await problemsOf(mine)), ...(await problemsOf(other))]).toEqual([]);
});

test('the cancel dialog stays with its order, closes when that order ends, and never asks about another one', async () => {
  const scene = await openScene();
  const [mine, other] = [await scene.give(), await scene.give()];
  const phone = await scene.open();
  await shown(phone, mine).waitFor();
  const begin = async (placed: Placed) => {
    await press(phone, 'Cancel order');
    const dialog = phone.getByRole('dialog', { name: `Cancel order ${placed.orderNumber}?` });
    await dialog.getByRole('radio', { name: 'Other reason' }).check();
    return dialog;
  };
  const dialog = await begin(mine);
  await planFirst(scene, other);
  await shown(phone, other).waitFor();
  expect(await dialog.getByRole('radio', { name: 'Other reason' }).isChecked()).toBe(true);
  await scene.command(mine, CANCEL_BY_RESTAURANT);
  await phone.getByText(`Order ${mine.orderNumber} was canceled`).waitFor();
  expect(await phone.getByRole('dialog').count()).toBe(0);
  await (await begin(other)).getByRole('button', { name: 'Cancel order' }).click();
  await expect.poll(() => stateOf(service, other.serviceOrderId)).toBe('CANCELED');
});

test('an order handed over by the operator shows a notice until read, even after a reload; an accepted one does not', async () => {
  const [from, to] = [await openScene('Sil Silent'), await openScene('Oda Other')];
  const phone = await to.open();
  const accepted = await to.offer();
  await press(phone, 'Accept');
  await shown(phone, accepted).waitFor();
  const moved = await from.give();
  await from.command(moved, { name: 'reoffer', courierId: to.courierId }, { role: 'operator' });
  const notice = phone.getByRole('alert').filter({ hasText: `Order ${moved.orderNumber} was assigned to you` });
  await notice.waitFor();
  expect(await phone.getByRole('alert').count()).toBe(1);
  await phone.reload();
  await notice.waitFor();
  await press(phone, 'Got it');
  await notice.waitFor({ state: 'hidden' });
  await phone.reload();
  await shown(phone, accepted).waitFor();
  expect(await phone.getByRole('alert').count()).toBe(0);
});

test('an order lost while the page was closed shows a notice on opening until it is read', async () => {
  const scene = await openScene();
  const [mine, other] = [await scene.give(), await scene.give()];
  const phone = await scene.open();
  await shown(phone, mine).waitFor();
  await phone.goto(`${service.address}/icon.svg`);
  await scene.command(mine, CANCEL_BY_RESTAURANT);
  const notice = phone.getByRole('alert').filter({ hasText: `Order ${mine.orderNumber} was canceled` });
  await phone.goto(service.address);
  await notice.waitFor();
  await phone.reload();
  await notice.waitFor();
  await press(phone, 'Got it');
  await notice.waitFor({ state: 'hidden' });
  await phone.reload();
  await shown(phone, other).waitFor();
  expect(await phone.getByRole('alert').count()).toBe(0);
});

test('a refused answer is explained on the page that follows', async () => {
  const scene = await openScene();
  const phone = await scene.open();
  await waiting(phone).waitFor();
  // The test controls the phone's clock, so the phone does not learn of the cancellation before the touch.
  await phone.clock.install();
  await phone.reload();
  const placed = await scene.offer();
  await offer(phone).waitFor();
  await phone.clock.pauseAt(Date.now() + 5_000);
  await scene.command(placed, CANCEL_BY_RESTAURANT);
  await press(phone, 'Accept');
  const seesWaiting = async () => {
    await phone.clock.runFor(10);
    return waiting(phone).isVisible();
  };
  await expect.poll(seesWaiting).toBe(true);
  await phone.getByText('The order was canceled').waitFor();
  expect(await phone.getByText(/couldn't (reach|send)/).count()).toBe(0);
});

test('an offer declined at the last moment is not shown as missed', async () => {
  const scene = await openScene();
  const phone = await scene.open();
  await scene.offer();
  await offer(phone).waitFor();
  let release = (): void => undefined;
  const isHeld = new Promise<void>((resolve) => {
    release = resolve;
  });
  await phone.context().route('**/decline', async (route) => {
    await isHeld;
    await route.continue();
  });
  await press(phone, 'Decline');
  await phone.getByRole('dialog', { name: 'Why are you declining?' }).getByRole('button', { name: 'Too far' }).click();
  clock.moveBy(OFFER_LIMIT_MS);
  await waiting(phone).waitFor();
  expect(await phone.getByText('You missed an offer').count()).toBe(0);
  release();
});
