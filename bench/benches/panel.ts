// The board in a browser: time to first paint, scrolling smoothness, and the delay until a new order appears.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { buildApp, type App } from '../../src/app.ts';
import { PANEL_FOLDER } from '../../src/http/panel/static-files.ts';
import { createPlatform } from '../../src/platform.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { findBrowserProgram } from '../../harness/browser/program.ts';
import { launchChromium, SCREENS, signInto } from '../../harness/browser/chromium.ts';
import { addLogin, type Login } from '../../harness/service/panel-client.ts';
import { addTestRestaurant, type TestRestaurant } from '../../harness/service/restaurant.ts';
import { testConfig } from '../../harness/service/test-config.ts';
import { openCluster, type UndoList } from '../../harness/postgres/cluster.ts';
import { nextOrderId, orderContent } from '../processes/orders.ts';
import type { Report } from '../report/report.ts';
import { percentile } from '../../harness/measure/statistics.ts';

export interface PanelExtent {
  undo: UndoList;
  say: (line: string) => void;
  repetitions: number;
  /** Number of orders on the board when it is opened, and later when it is scrolled. */
  orders: { opened: number; scrolled: number };
}

interface Board {
  app: App;
  address: string;
  restaurant: TestRestaurant;
  login: Login;
  browser: Browser;
}

const BYTES_PER_KB = 1000;
const LIVE_ORDERS = 10;
const AT_ONCE = 50;

export async function benchPanel(report: Report, extent: PanelExtent): Promise<void> {
  report.add('panel.bundle', 'kB gzip', measureBundle() / BYTES_PER_KB);
  const board = await openBoard(extent);
  await placeOrders(board, extent.orders.opened);
  for (let round = 0; round < extent.repetitions; round += 1) {
    report.add('panel.board.paint', 'ms', await measurePaint(board));
    for (const ms of await measureLive(board)) report.add('panel.live', 'ms', ms);
  }
  await placeOrders(board, extent.orders.scrolled - extent.orders.opened);
  for (let round = 0; round < extent.repetitions; round += 1) {
    const frames = await measureScroll(board);
    report.add('panel.scroll.p50', 'ms/frame', percentile(frames, 0.5));
    report.add('panel.scroll.p99', 'ms/frame', percentile(frames, 0.99));
  }
}

/** The files in index.html: the entry script, its static imports, and the styles. */
function measureBundle(): number {
  const index = readFileSync(path.join(PANEL_FOLDER, 'index.html'), 'utf8');
  const files = [...index.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, file = '']) => file);
  if (files.length === 0) throw new Error('panel/dist has no main bundle');
  return files.reduce(
    (sum, file) => sum + gzipSync(readFileSync(path.join(PANEL_FOLDER, file)), { level: 9 }).length,
    0,
  );
}

async function openBoard({ undo, say }: PanelExtent): Promise<Board> {
  const browser = await launchChromium(await findBrowserProgram(say));
  undo.push(() => browser.close());
  const cluster = await openCluster(undo);
  await migrate(cluster.url);
  const app = buildApp({
    config: testConfig({ roles: ['api', 'deliver'] }),
    databaseUrl: cluster.url,
    masterKey: Buffer.alloc(32, 1),
    platform: createPlatform(),
  });
  const address = await app.start();
  undo.push(() => app.stop());
  const restaurant = await addTestRestaurant(app);
  await addLogin({ app }, 'operator');
  return { app, address, browser, restaurant, login: await addLogin({ app }, 'owner', { restaurant }) };
}

async function placeOrders(board: Board, count: number): Promise<void> {
  for (let done = 0; done < count; done += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - done) }, () => placeOrder(board)));
  }
}

async function placeOrder({ address, restaurant }: Board): Promise<string> {
  const answer = await fetch(`${address}/webhook/third-party/order`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': restaurant.apiKey },
    body: JSON.stringify(orderContent(nextOrderId(), restaurant.restaurantId)),
  });
  if (answer.status !== 201) throw new Error(`an order failed with status ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { orderNumber: string }).orderNumber;
}

/** Uses a fresh browser context, so that nothing is cached. */
async function withPage<Result>(board: Board, work: (page: Page) => Promise<Result>): Promise<Result> {
  const context = await board.browser.newContext({ viewport: SCREENS.desktop });
  try {
    const page = await context.newPage();
    await signInto(page, board.login, board.address);
    return await work(page);
  } finally {
    await context.close();
  }
}

// Runs in the page, because polling from outside adds a delay. By the second frame callback, the content was painted.
const WATCH_PAINT = `
  globalThis.painted = new Promise((resolve) => {
    const look = () => document.querySelector('article')
      ? requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())))
      : requestAnimationFrame(look);
    requestAnimationFrame(look);
  });
`;

/** From the page request until the first orders are visible. */
function measurePaint(board: Board): Promise<number> {
  return withPage(board, async (page) => {
    await page.addInitScript(WATCH_PAINT);
    await page.goto(`${board.address}/orders`, { waitUntil: 'commit' });
    return page.evaluate<number>('globalThis.painted');
  });
}

/** From the response to the integrator until the order is visible on an open board. */
function measureLive(board: Board): Promise<number[]> {
  return withPage(board, async (page) => {
    await page.goto(`${board.address}/orders?state=NEW`);
    await page.getByRole('article').first().waitFor();
    const tookMs: number[] = [];
    for (let index = 0; index < LIVE_ORDERS; index += 1) {
      const count = page.getByRole('main').getByText(/live orders?$/);
      const before = Number.parseInt((await count.textContent()) ?? '', 10);
      await placeOrder(board);
      const placedAt = performance.now();
      await page
        .getByRole('main')
        .getByText(`${before + 1} live orders`)
        .waitFor();
      tookMs.push(performance.now() - placedAt);
    }
    return tookMs;
  });
}

const SCROLL = `
  new Promise((resolve) => {
    const list = document.querySelector('[role=list]');
    const frames = [];
    let last = performance.now();
    const step = (now) => {
      frames.push(now - last);
      last = now;
      list.scrollTop += 120;
      if (frames.length < 300) requestAnimationFrame(step);
      else resolve(frames.slice(1));
    };
    requestAnimationFrame(step);
  })
`;

/** Frame times while a column scrolls quickly. */
function measureScroll(board: Board): Promise<Float64Array> {
  return withPage(board, async (page) => {
    await page.goto(`${board.address}/orders`);
    await page.getByRole('article').first().waitFor();
    return Float64Array.from(await page.evaluate<number[]>(SCROLL));
  });
}
