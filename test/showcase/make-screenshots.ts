// Makes the images in docs/images from a service filled with realistic data:
//   npx node test/showcase/make-screenshots.ts [name…]
import { createHmac } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { openCluster, type UndoList } from '../../harness/postgres/cluster.ts';
import { buildApp } from '../../src/app.ts';
import { createPlatform } from '../../src/platform.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { findBrowserProgram } from '../../harness/browser/program.ts';
import { launchChromium, SCREENS, signInto, type Screen } from '../../harness/browser/chromium.ts';
import { startNameServer } from '../../harness/receivers/name-server.ts';
import { pointResolversTo } from '../../harness/receivers/resolvers.ts';
import { getTestAuthority, startReceiver } from '../../harness/receivers/receiver.ts';
import { testConfig } from '../../harness/service/test-config.ts';
import { createShiftedClock } from './story.ts';
import { fillShowcase, type Showcase } from './showcase.ts';

const FOLDER = path.join(import.meta.dirname, '..', '..', 'docs', 'images');
const MAX_BYTES = 250_000;
const PAST_ORDERS = 60;
const SETTLE_MS = 1_500;

interface Picture {
  /** By default, nobody is signed in. */
  as?: keyof Showcase['logins'];
  at: (showcase: Showcase) => string;
  /** Waits until the page is complete, or performs the steps that complete it. */
  until: (page: Page, showcase: Showcase) => Promise<unknown>;
  /** The light desktop variant is always made, except for pages that are used only on phones. */
  also?: readonly ('phone' | 'dark')[];
  isForPhones?: boolean;
}

const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { level: 1, name }).waitFor();

const PICTURES: Record<string, Picture> = {
  'sign-in': { at: () => '/sign-in', until: heading('Sign in'), also: ['phone', 'dark'] },
  courier: {
    as: 'courier',
    at: () => '/courier',
    until: (page) => page.getByRole('heading', { name: 'All stops' }).waitFor(),
    also: ['dark'],
    isForPhones: true,
  },
  orders: {
    as: 'owner',
    at: () => '/orders',
    until: (page) => page.getByRole('article').first().waitFor(),
    also: ['phone', 'dark'],
  },
  order: {
    as: 'owner',
    at: ({ orders }) => `/orders/${orders.onDelivery}`,
    until: async (page) => {
      await page.getByText('Request and response').first().waitFor();
    },
    also: ['phone'],
  },
  'order-webhook': {
    as: 'owner',
    at: ({ orders }) => `/orders/${orders.delivered}`,
    until: (page) => page.getByText('Request and response').first().click(),
  },
  'fix-drop-off': {
    as: 'staff',
    at: ({ orders }) => `/orders/${orders.withoutLocation}`,
    until: async (page) => {
      await page.getByRole('button', { name: 'Fix drop-off address' }).click();
      await page.getByLabel('Latitude', { exact: true }).fill('40.98741');
      await page.getByLabel('Longitude', { exact: true }).fill('29.02613');
      await page.getByLabel('Map of the drop-off').waitFor();
    },
  },
  map: {
    as: 'owner',
    at: () => '/map',
    until: async (page) => {
      await page.getByRole('img', { name: 'Trattoria Fontana' }).waitFor();
      await page
        .getByRole('button', { name: /Routed/ })
        .first()
        .click();
      await page.getByText('Next best').waitFor();
    },
    also: ['phone', 'dark'],
  },
  'settings-integration': {
    as: 'owner',
    at: () => '/settings/integration',
    until: (page) => page.getByRole('heading', { name: 'Webhook URLs' }).waitFor(),
    also: ['phone', 'dark'],
  },
  'settings-restaurant': {
    as: 'owner',
    at: () => '/settings/restaurant',
    until: (page) => page.getByRole('heading', { name: 'Opening hours' }).waitFor(),
    also: ['phone'],
  },
  webhooks: {
    as: 'atelierOwner',
    at: () => '/webhooks',
    until: (page) =>
      page
        .getByRole('button', { name: /^Details of/ })
        .first()
        .waitFor(),
    also: ['phone', 'dark'],
  },
  'webhook-charts': {
    as: 'owner',
    at: () => '/webhooks?tab=figures',
    until: (page) => page.getByRole('img', { name: /Chart/ }).first().waitFor(),
  },
  'signature-debugger': {
    as: 'owner',
    at: () => '/webhooks?tab=signature',
    until: async (page, { fontana }) => {
      // The JSON format that Python writes by default.
      const spaced = '{"event": "order.status_changed", "orderId": "WEB-48231", "status": "ACCEPTED"}';
      await page.getByLabel('Request body').fill(spaced.replaceAll(/([:,]) /g, '$1'));
      await page.getByLabel('X-Service-Signature').fill(sign(spaced, fontana.secret ?? ''));
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.getByText("Signature doesn't match").waitFor();
    },
  },
  'receiver-check': {
    as: 'owner',
    at: () => '/webhooks?tab=receiver',
    until: async (page) => {
      await page.getByRole('button', { name: 'Run check' }).click();
      await page.getByRole('region', { name: 'of 6 passed' }).waitFor();
    },
  },
  team: { as: 'owner', at: () => '/team', until: heading('Team'), also: ['phone'] },
  account: { as: 'owner', at: () => '/account', until: heading('Account') },
  'operator-overview': { as: 'operator', at: () => '/operator/overview', until: heading('Overview'), also: ['dark'] },
  'operator-map': {
    as: 'operator',
    at: () => '/operator/map',
    until: (page) => page.getByRole('img', { name: 'Burger Atelier' }).waitFor(),
    also: ['dark'],
  },
  'operator-planning': { as: 'operator', at: () => '/operator/planning', until: heading('Planning'), also: ['dark'] },
  'operator-order': {
    as: 'operator',
    at: ({ orders }) => `/operator/orders/${orders.onDelivery}`,
    until: heading(/#/),
    also: ['phone'],
  },
  'operator-restaurants': { as: 'operator', at: () => '/operator/restaurants', until: heading('Restaurants') },
  'operator-support': { as: 'operator', at: () => '/operator/support', until: heading('Support cases') },
  'operator-support-case': {
    as: 'operator',
    at: ({ supportCaseId }) => `/operator/support/${supportCaseId}`,
    until: heading(/Burger Atelier/),
  },
  'operator-couriers': { as: 'operator', at: () => '/operator/couriers', until: heading('Couriers') },
  'operator-users': { as: 'operator', at: () => '/operator/users', until: heading('Users') },
  'operator-audit': { as: 'operator', at: () => '/operator/audit', until: heading('Audit log') },
  'operator-settings': { as: 'operator', at: () => '/operator/settings', until: heading('Settings') },
};

interface Stage {
  browser: Browser;
  address: string;
  showcase: Showcase;
}

async function openStage(undo: UndoList): Promise<Stage> {
  const cluster = await openCluster(undo);
  await migrate(cluster.url);
  const clock = createShiftedClock(26 * 60);
  const authority = await getTestAuthority();
  const app = buildApp({
    config: testConfig({
      roles: ['api', 'deliver'],
      webhookCa: authority.certificatePem,
      publicUrl: 'https://waybill.example',
      mailFrom: 'waybill@waybill.example',
    }),
    databaseUrl: cluster.url,
    masterKey: Buffer.alloc(32, 1),
    platform: createPlatform(undefined, clock),
  });
  const address = await app.start();
  undo.push(() => app.stop());
  await useNameServer(undo);
  const { receiver, failing, know } = await startReceivers(undo);
  const showcase = await fillShowcase({ app, address, clock, receiver, failing }, { pastOrders: PAST_ORDERS });
  know(showcase.fontana.secret ?? '');
  await app.db.query("update attempts set remote_address = '203.0.113.24'");
  const browser = await launchChromium(await findBrowserProgram(console.error));
  undo.push(() => browser.close());
  return { browser, address, showcase };
}

/** Two integrators: one works well except for an occasional error; the database of the other one is down. */
async function startReceivers(undo: UndoList) {
  let secret: string | undefined;
  let count = 0;
  const receiver = await startReceiver({
    hostname: 'orders.trattoria-fontana.example',
    onRequest: ({ headers, body }) => {
      count += 1;
      const delayMs = 4 + ((count * 7) % 45);
      if (secret !== undefined && headers['x-service-signature'] !== sign(body, secret))
        return { status: 401, delayMs };
      return { status: count % 41 === 0 ? 502 : 200, delayMs };
    },
  });
  const failing = await startReceiver({
    hostname: 'api.burger-atelier.example',
    onRequest: () => ({ status: 503, body: '{"error":"database is in recovery mode"}', delayMs: 35 }),
  });
  for (const one of [receiver, failing]) undo.push(() => one.close());
  const know = (now: string): void => {
    secret = now;
    count = 0;
  };
  return { receiver, failing, know };
}

function sign(body: string | Buffer, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Makes the integrators' host names resolve to this machine. */
async function useNameServer(undo: UndoList): Promise<void> {
  const server = await startNameServer(({ type }) => ({
    records: type === 'A' ? [{ type, data: '127.0.0.1' }] : [],
  }));
  undo.push(() => server.close());
  pointResolversTo(server.address);
}

interface Shot {
  name: string;
  picture: Picture;
  screen: Screen;
  theme: 'light' | 'dark';
}

async function take({ browser, address, showcase }: Stage, { name, picture, screen, theme }: Shot): Promise<void> {
  const context = await browser.newContext({
    viewport: SCREENS[screen],
    colorScheme: theme,
    reducedMotion: 'reduce',
    hasTouch: screen === 'phone',
    locale: 'en-GB',
    // The position of the courier whose page is shown.
    permissions: ['geolocation'],
    geolocation: { latitude: 40.9862, longitude: 29.0281 },
  });
  const page = await context.newPage();
  if (picture.as !== undefined) await signInto(page, showcase.logins[picture.as], address);
  await page.goto(address + picture.at(showcase));
  await picture.until(page, showcase);
  await page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
  // Lists are measured and maps are drawn a moment later.
  await page.waitForTimeout(SETTLE_MS);
  const file = path.join(
    FOLDER,
    `${[name, screen === 'phone' && 'phone', theme === 'dark' && 'dark'].filter(Boolean).join('-')}.png`,
  );
  await page.screenshot({ path: file });
  await context.close();
  const { size } = await stat(file);
  console.log(`${path.relative(process.cwd(), file)} ${Math.ceil(size / 1000)} kB`);
  if (size > MAX_BYTES) throw new Error(`${file} has more than ${MAX_BYTES} bytes`);
}

function listShots(names: readonly string[]): Shot[] {
  return Object.entries(PICTURES)
    .filter(([name]) => names.length === 0 || names.includes(name))
    .flatMap(([name, picture]): Shot[] => {
      const screen = picture.isForPhones === true ? 'phone' : 'desktop';
      const shot: Shot = { name, picture, screen, theme: 'light' };
      return [
        shot,
        ...(picture.also?.includes('phone') === true ? [{ ...shot, screen: 'phone' as const }] : []),
        ...(picture.also?.includes('dark') === true ? [{ ...shot, theme: 'dark' as const }] : []),
      ];
    });
}

const undo: UndoList = [];
try {
  await mkdir(FOLDER, { recursive: true });
  const stage = await openStage(undo);
  for (const shot of listShots(process.argv.slice(2))) await take(stage, shot);
} finally {
  for (const step of undo.toReversed()) await step();
}
