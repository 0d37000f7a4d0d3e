import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openLiveEvents, type LiveEventLog } from '../../../../test/clients/live-events.ts';
import { signInAs, type Browser } from '../../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../../harness/service/service.ts';

let service: TestService;
let restaurant: TestRestaurant;
let owner: Browser;
let opened: LiveEventLog[] = [];
beforeAll(async () => {
  service = await startService();
  restaurant = await service.addRestaurant();
  owner = await signInAs(service, 'owner', { restaurant });
});
afterAll(() => service.stop());
afterEach(() => {
  vi.useRealTimers();
  for (const log of opened) log.close();
  opened = [];
});

async function watch(browser: Browser, lastEventId?: string): Promise<LiveEventLog> {
  const log = await openLiveEvents(service.address, { cookie: browser.cookieHeader(), lastEventId });
  opened.push(log);
  return log;
}

async function place(orderId: string, of = restaurant): Promise<string> {
  const answer = await service.post(of, { orderId });
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

function approve(orderId: string) {
  return service.app.changer.change({
    scope: 'everything',
    orderId,
    command: { name: 'approve' },
    actor: { role: 'restaurant' },
  });
}

/** Counts how often the feed queries for changes. */
function countLooks(): { looks: number; stop: () => void } {
  const { panel: db } = service.app.pools;
  const { query } = db;
  const counted = { looks: 0, stop: () => void (db.query = query) };
  db.query = (statement, values) => {
    if (typeof statement === 'object' && statement.name === 'list_live_changes') counted.looks += 1;
    return query.call(db, statement, values) as never;
  };
  return counted;
}

const ordersOf = (log: LiveEventLog) => log.events.flatMap(({ data }) => data.orders ?? []);
const statesOf = (log: LiveEventLog, id: string) =>
  ordersOf(log)
    .filter((o) => o.id === id)
    .map(({ state }) => state);

test('a page receives a new order and each change within seconds', async () => {
  const page = await watch(owner);
  await page.until(() => page.events[0]?.name === 'hello');
  const started = performance.now();
  const id = await place('new');
  await page.until(() => statesOf(page, id).includes('NEW'));
  await approve(id);
  await page.until(() => statesOf(page, id).includes('VALIDATED'));
  // Half a second each on an idle machine; the rest is for a busy one.
  expect(performance.now() - started).toBeLessThan(5_000);
});

test('a new order is sent after the next poll, with any number of orders just before it', async () => {
  const busy = await service.addRestaurant();
  await service.app.db.query(
    `insert into orders (id, restaurant_id, provider_order_id, order_number, state, version, last_changed_at, content,
       warnings, issues, created_at)
     select gen_random_uuid(), $1, 'rush-' || n, 900000000 + n, 'NEW', 0, now(), '{}', '[]', '[]', now()
     from generate_series(1, 600) n`,
    [busy.id],
  );
  const page = await watch(await signInAs(service, 'owner', { restaurant: busy }));
  await page.until(() => page.events[0]?.name === 'hello');
  const id = await place('after-the-rush', busy);
  const counted = countLooks();
  await page.until(() => statesOf(page, id).includes('NEW'));
  counted.stop();
  // Allows for a poll that was about to start, and for one that ended before this test looked.
  expect(counted.looks).toBeLessThanOrEqual(3);
});

test('more new orders than can be listed make the page reload everything', async () => {
  const rushed = await service.addRestaurant();
  const page = await watch(await signInAs(service, 'owner', { restaurant: rushed }));
  await page.until(() => page.events[0]?.name === 'hello');
  await service.app.db.query(
    `insert into orders (id, restaurant_id, provider_order_id, order_number, state, version, last_changed_at, content,
       warnings, issues, created_at)
     select gen_random_uuid(), $1, 'rush-' || n, 910000000 + n, 'NEW', 0, now(), '{}', '[]', '[]', now()
     from generate_series(1, 600) n`,
    [rushed.id],
  );
  await page.until(() => page.events.some(({ name }) => name === 'reset'));
});

test('changes elsewhere are not sent, and any number of them never hides a note from a page', async () => {
  const quiet = await service.addRestaurant();
  const own = await place('quiet', quiet);
  const page = await watch(await signInAs(service, 'owner', { restaurant: quiet }));
  await page.until(() => page.events[0]?.name === 'hello');
  const elsewhere = await place('elsewhere');
  const note = (orderId: string, count: number) =>
    service.app.db.query(
      `insert into order_history (order_id, at, kind, actor)
       select $1, now(), 'offer_declined', 'courier' from generate_series(1, $2::int)`,
      [orderId, count],
    );
  await note(elsewhere, 3_000);
  const before = statesOf(page, own).length;
  await note(own, 1);
  await page.until(() => statesOf(page, own).length > before);
  expect(statesOf(page, elsewhere)).toEqual([]);
});

test('an order is sent as new once, even when it is approved automatically', async () => {
  const quick = await service.addRestaurant({ autoApprove: true });
  const page = await watch(await signInAs(service, 'owner', { restaurant: quick }));
  await page.until(() => page.events[0]?.name === 'hello');
  const id = await place('auto', quick);
  await page.until(() => statesOf(page, id).length > 0);
  await service.app.changer.change({
    scope: 'everything',
    orderId: id,
    command: { name: 'prepare' },
    actor: { role: 'restaurant' },
  });
  await page.until(() => statesOf(page, id).includes('PREPARED'));
  expect(ordersOf(page).filter((order) => order.id === id && order.isNew)).toMatchObject([{ state: 'VALIDATED' }]);
});

test('a change without an event is sent too', async () => {
  const id = await place('early');
  await approve(id);
  const courierId = await service.addCourier();
  await service.app.changer.change({
    scope: 'everything',
    orderId: id,
    command: { name: 'assign', courierId },
    actor: { role: 'operator' },
  });
  const page = await watch(owner);
  await page.until(() => page.events.some(({ name }) => name === 'hello'));
  const before = statesOf(page, id).length;
  await service.app.changer.change({
    scope: 'everything',
    orderId: id,
    command: { name: 'prepare' },
    actor: { role: 'restaurant' },
  });
  await page.until(() => statesOf(page, id).length > before);
});

test('a reconnecting page receives what it missed and nothing older', async () => {
  const before = await place('before');
  const page = await watch(owner);
  await page.until(() => statesOf(page, before).length > 0 || page.lastEventId !== undefined);
  page.close();
  const during = await place('during');
  await approve(during);
  const back = await watch(owner, page.lastEventId);
  await back.until(() => statesOf(back, during).includes('VALIDATED'));
  expect(back.events.map(({ name }) => name)).not.toContain('hello');
  expect(back.lastEventId).not.toBe(page.lastEventId);
});

test('a page with an expired or invalid event id starts over', async () => {
  for (const lastEventId of ['0.0.1', 'nonsense', `0.0.${Date.now()}.0`]) {
    const page = await watch(owner, lastEventId);
    await page.until(() => page.events.length > 0);
    expect(page.events[0]?.name).toBe('hello');
  }
});

test('a page that missed too much is asked to reload everything', async () => {
  const busy = await service.addRestaurant();
  await service.app.db.query('update event_counters set last_sequence = 1000 where restaurant_id = $1', [busy.id]);
  const page = await watch(await signInAs(service, 'owner', { restaurant: busy }), `10.0.${Date.now()}`);
  await page.until(() => page.events.length > 0);
  expect(page.events[0]?.name).toBe('reset');
  expect(page.lastEventId).toMatch(/^1000\./);
});

test('no page receives another restaurant’s orders, and an operator learns only that something changed', async () => {
  const other = await service.addRestaurant();
  const stranger = await watch(await signInAs(service, 'owner', { restaurant: other }));
  const operator = await watch(await signInAs(service, 'operator'));
  await stranger.until(() => stranger.events.length > 0);
  await operator.until(() => operator.events.length > 0);
  const id = await place('private');
  await operator.until(() => operator.events.some(({ name }) => name === 'changed'));
  const mine = await watch(owner);
  await mine.until(() => mine.events.length > 0);
  const own = await place('theirs', other);
  await stranger.until(() => statesOf(stranger, own).length > 0);
  expect(statesOf(stranger, id)).toEqual([]);
  expect(ordersOf(operator)).toEqual([]);
});

test('the stream ends when the session does, within five seconds', async () => {
  const browser = await signInAs(service, 'staff', { restaurant });
  const page = await watch(browser);
  await page.until(() => page.events.length > 0);
  await browser.send('DELETE', '/api/session');
  await page.until(() => page.hasEnded);
});

test('one session opens at most twelve streams', async () => {
  const browser = await signInAs(service, 'staff', { restaurant });
  const pages = await Promise.all(Array.from({ length: 12 }, () => watch(browser)));
  expect(pages.map(({ status }) => status)).toEqual(Array(12).fill(200));
  expect((await watch(browser)).status).toBe(503);
});

test('any number of pages costs the database as much as one page, and no page costs nothing', async () => {
  for (const page of opened) page.close();
  // The feed polls with setInterval; here the test decides when it fires.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let intervals = 0;
  const lookUntil = async (isSo: () => boolean) => {
    const look = () => {
      vi.advanceTimersByTime(500);
      intervals += 1;
      return isSo();
    };
    await expect.poll(look).toBe(true);
  };
  const pages = await Promise.all(Array.from({ length: 10 }, () => watch(owner)));
  await lookUntil(() => pages.every(({ events }) => events.length > 0));
  expect(vi.getTimerCount()).toBe(1);
  const counted = countLooks();
  intervals = 0;
  const id = await place('counted');
  await lookUntil(() => pages.every((page) => statesOf(page, id).length > 0));
  counted.stop();
  expect(counted.looks).toBeGreaterThan(0);
  expect(counted.looks).toBeLessThanOrEqual(intervals);
  for (const page of pages) page.close();
  await expect.poll(() => vi.getTimerCount()).toBe(0);
});
