// Whether a courier's phone plays sounds, and whether the page says so if it cannot.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RECORD_TONES, startPanelService, useChromium } from '../browser/browser.ts';
import { openCourierScene, type CourierScene } from '../scenes/courier.ts';
import type { TestService } from '../../harness/service/service.ts';
import { offer, waiting } from '../scenes/shop.ts';

const { visitAs } = useChromium();
let service: TestService;

beforeAll(async () => {
  service = await startPanelService({ roles: ['api', 'deliver'] });
});
afterAll(() => service.stop());

/** Phone browsers mute a page until it is touched. The test browser counts every `evaluate` of a test as a touch. */
const SILENT_UNTIL_TOUCHED = `
  let isTouched = false;
  for (const touch of ['pointerup', 'keydown']) addEventListener(touch, () => { isTouched = true; }, true);
  globalThis.AudioContext = class extends AudioContext {
    constructor() {
      super();
      if (!isTouched) void this.suspend();
    }
    resume() {
      return isTouched ? super.resume() : new Promise(() => undefined);
    }
  };
`;

/** Opens the app with the sound on, before any touch. */
async function openLoudly(scene: CourierScene): Promise<Page> {
  const phone = await scene.open();
  await phone.addInitScript(SILENT_UNTIL_TOUCHED);
  await phone.evaluate("localStorage['waybill.sound'] = 'on'");
  await phone.reload();
  await phone.evaluate(RECORD_TONES);
  return phone;
}

const tonesOf = (phone: Page) => phone.evaluate<number[]>('globalThis.tones');
const advice = (phone: Page) => phone.getByText('Tap anywhere to turn on sound');

test('a reopened app says that it is silent until it is tapped, and rings from then on', async () => {
  const scene = await openCourierScene({ service, visitAs });
  const phone = await openLoudly(scene);
  await waiting(phone).waitFor();
  await advice(phone).waitFor();
  await waiting(phone).tap();
  await advice(phone).waitFor({ state: 'hidden' });
  await scene.offer();
  await offer(phone).waitFor();
  await expect.poll(() => tonesOf(phone)).toContain(880);
});

test('the silent notice also appears beside the stops, and a key press dismisses it', async () => {
  const scene = await openCourierScene({ service, visitAs });
  await scene.give();
  const phone = await openLoudly(scene);
  await phone.getByRole('button', { name: "I'm at the restaurant" }).waitFor();
  await advice(phone).waitFor();
  await phone.keyboard.press('Tab');
  await advice(phone).waitFor({ state: 'hidden' });
});

test('an order handed over by the operator rings once', async () => {
  const from = await openCourierScene({ service, visitAs }, 'Sil Silent');
  const to = await openCourierScene({ service, visitAs }, 'Oda Other');
  const phone = await openLoudly(to);
  await waiting(phone).tap();
  await advice(phone).waitFor({ state: 'hidden' });
  const moved = await from.give();
  await from.command(moved, { name: 'reoffer', courierId: to.courierId }, { role: 'operator' });
  const notice = phone.getByRole('alert').filter({ hasText: `Order ${moved.orderNumber} was assigned to you` });
  await notice.waitFor();
  // It has not rung again after several more answers of the service.
  for (let answer = 0; answer < 3; answer += 1) await phone.waitForResponse('**/api/courier/work');
  expect(await tonesOf(phone)).toEqual([660, 880]);
});
