// The courier's page as an app on a phone: it can be installed, and it rings.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RECORD_TONES, startPanelService, useChromium } from '../browser/browser.ts';
import { stateOf } from '../scenes/city.ts';
import type { TestService } from '../../harness/service/service.ts';
import { offer, openShop, press } from '../scenes/shop.ts';

let service: TestService;
const { visitAs } = useChromium();

beforeAll(async () => {
  service = await startPanelService();
});
afterAll(() => service.stop());

interface Manifest {
  icons: { src: string; sizes: string; purpose?: string }[];
}

/** Width and height of an image, after the browser has loaded it. */
function measureImage(page: Page, src: string): Promise<string> {
  return page.evaluate<string>(`new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image.naturalWidth + 'x' + image.naturalHeight);
    image.onerror = () => reject(new Error('no image'));
    image.src = ${JSON.stringify(src)};
  })`);
}

test('the courier page is installable: complete manifest, icons of the declared size, running service worker', async () => {
  const shop = await openShop({ service, visitAs });
  const phone = await shop.hire('Deniz Kaya');
  const browser = await phone.context().newCDPSession(phone);
  const { url, errors, data = '' } = await browser.send('Page.getAppManifest');
  expect([url, errors]).toEqual([`${service.address}/manifest.webmanifest`, []]);
  const manifest = JSON.parse(data) as Manifest;
  expect(manifest).toMatchObject({ name: 'Waybill', start_url: '/', scope: '/', display: 'standalone' });
  const { installabilityErrors } = await browser.send('Page.getInstallabilityErrors');
  // Each page of the tests has a temporary profile, into which nothing can be installed.
  const hindrances = installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito');
  expect(hindrances).toEqual([]);

  const measured = manifest.icons.map(async ({ src, sizes }) => {
    const size = await measureImage(phone, src);
    return sizes === 'any' ? sizes : size;
  });
  expect(await Promise.all(measured)).toEqual(manifest.icons.map(({ sizes }) => sizes));
  const sizes = manifest.icons.map((icon) => [icon.sizes, icon.purpose ?? 'any']);
  for (const needed of ['192x192', '512x512']) expect(sizes).toContainEqual([needed, 'any']);
  expect(sizes).toContainEqual(['512x512', 'maskable']);

  const worker =
    'navigator.serviceWorker.ready.then(({ active, scope }) => [active.scriptURL, scope, active.state].join(" "))';
  await expect
    .poll(() => phone.evaluate<string>(worker))
    .toBe(`${service.address}/sw.js ${service.address}/ activated`);
});

const RINGS_EVERY_MS = 3_000;
const RECORD_SHAKES = `
  globalThis.shakes = [];
  Navigator.prototype.vibrate = (pattern) => {
    globalThis.shakes.push(pattern.join());
    return true;
  };
`;

test('an offer rings and vibrates once on arrival, then every three seconds until it is answered', async () => {
  const shop = await openShop({ service, visitAs }, { autoApprove: true });
  const phone = await shop.hire('Deniz Kaya');
  // The test controls the phone's clock, so the number of rings does not depend on the machine's speed.
  await phone.clock.install();
  await phone.reload();
  await press(phone, 'Turn on sound');
  await phone.evaluate(RECORD_TONES);
  await phone.evaluate(RECORD_SHAKES);
  await phone.clock.pauseAt(Date.now() + 10_000);
  // Advances in small steps, because the page's requests take real time between them.
  const see = async (look: () => Promise<unknown>, is: unknown, stepMs = 1): Promise<void> => {
    const lookAfterStep = async () => {
      await phone.clock.runFor(stepMs);
      return look();
    };
    await expect.poll(lookAfterStep).toEqual(is);
  };
  const hear = (rings: number) =>
    see(
      () => phone.evaluate('[globalThis.tones, globalThis.shakes]'),
      [Array.from({ length: rings * 3 }, () => 880), Array.from({ length: rings }, () => '300,120,300')],
    );

  const { serviceOrderId } = await shop.place();
  await expect.poll(() => stateOf(service, serviceOrderId)).toBe('ASSIGNED');
  await hear(0);
  await see(() => offer(phone).isVisible(), true, 100);
  await hear(1);
  await phone.clock.runFor(2 * RINGS_EVERY_MS);
  await hear(3);
  await press(phone, 'Accept');
  await see(() => phone.getByRole('button', { name: "I'm at the restaurant" }).isVisible(), true);
  await phone.clock.runFor(3 * RINGS_EVERY_MS);
  await hear(3);
});
