// Sends orders in every accepted JSON spelling through everything that reads them: planner, maps, board, order page,
// courier page, feed, audit, backup and restore. A restaurant with ordinary orders must not be affected.
import { addCourier } from '../../src/actions/couriers/add-courier.ts';
import { auditHistory } from '../../src/actions/upkeep/audit-history.ts';
import type { ChangeRequest } from '../../src/actions/orders/change-order.ts';
import type { App } from '../../src/app.ts';
import { courierApi } from '../../src/contract/panel/couriers/courier-page.ts';
import { overviewApi } from '../../src/contract/panel/operator/overview.ts';
import { ordersApi } from '../../src/contract/panel/orders/orders.ts';
import { timelineApi } from '../../src/contract/panel/orders/timeline.ts';
import { candidatesApi } from '../../src/contract/panel/planning/candidates.ts';
import { mapApi } from '../../src/contract/panel/planning/map.ts';
import { operatorPlanningApi } from '../../src/contract/panel/planning/planning.ts';
import { urlOf, type Given } from '../../src/contract/panel/route-url.ts';
import type { Route } from '../../src/contract/panel/routes.ts';
import type { Actor } from '../../src/domain/orders/order.ts';
import { listMapOrders } from '../../src/store/planning/live-map.ts';
import { findOrderById } from '../../src/store/orders/orders.ts';
import { listBoard } from '../../src/store/orders/board.ts';
import { listOrderFacts } from '../../src/store/planning/orders.ts';
import { openDatabase } from '../../src/store/database/database.ts';
import { listSetAside } from '../../src/store/upkeep/set-aside.ts';
import { createChance, type Chance } from '../../harness/chance.ts';
import { signInAs, type Browser } from '../../harness/service/panel-client.ts';
import { addTestRestaurant, type TestRestaurant } from '../../harness/service/restaurant.ts';
import { drawOrder } from './drawn-order.ts';

export interface ContentStage {
  app: App;
  address: string;
  /** Backs up and restores the database; returns the URL of the restored one. */
  backUpAndRestore(): Promise<string>;
  /** Throws if the condition does not become true in time. */
  eventually(what: string, isTrue: () => Promise<boolean>): Promise<void>;
}

export interface ContentOptions {
  orders: number;
  seed: number;
  /** Number of orders that are live at the same time. */
  batchSize: number;
  onProgress(text: string): void;
  /** An additional reader, called with the order IDs of each batch; the run fails if it throws. */
  reader?: (app: App, orderIds: readonly string[]) => Promise<void>;
}

export interface ContentReport {
  accepted: number;
  /** Milliseconds from placing to offer at the ordinary restaurant, before and during the load of strange orders. */
  waitsBefore: number[];
  waitsBeside: number[];
}

const PLACE = { latitude: 41.01, longitude: 29.01 };
const STRANGE_TENANTS = 4;
const CONCURRENCY = 8;
/** The service limits concurrent requests per panel user. */
const PAGE_CONCURRENCY = 4;
const WAITS_BEFORE = 3;
const OPERATOR: Actor = { role: 'operator' };

interface Run {
  stage: ContentStage;
  chance: Chance;
  strange: { restaurant: TestRestaurant; owner: Browser }[];
  ordinary: TestRestaurant;
  operator: Browser;
  /** Delivers the strange orders. */
  courier: { id: string; browser: Browser };
}

/** Throws at the first failure, with the data needed to reproduce it. */
export async function runContent(stage: ContentStage, options: ContentOptions): Promise<ContentReport> {
  const run = await prepare(stage, options);
  const report: ContentReport = { accepted: 0, waitsBefore: [], waitsBeside: [] };
  for (let count = 0; count < WAITS_BEFORE; count += 1) report.waitsBefore.push(await carryOrdinary(run));
  while (report.accepted < options.orders) {
    const size = Math.min(options.batchSize, options.orders - report.accepted);
    const ids = await placeStrange(run, report.accepted, size);
    report.accepted += size;
    report.waitsBeside.push(await carryOrdinary(run));
    await readPages(run, ids);
    await options.reader?.(stage.app, ids.flat());
    await readCourierPage(run, ids.flat());
    options.onProgress(`${report.accepted} of ${options.orders} orders`);
    if (report.accepted < options.orders) await cancelAll(run, ids.flat());
    else await readRestored(run, ids);
  }
  await readFeeds(run);
  await auditEverything(stage.app);
  return report;
}

async function prepare(stage: ContentStage, { seed }: ContentOptions): Promise<Run> {
  const { app } = stage;
  const settings = { autoApprove: true, preparationMinutes: 0, ...PLACE };
  const ordinary = await addTestRestaurant(app, settings);
  const strange: Run['strange'] = [];
  for (let count = 0; count < STRANGE_TENANTS; count += 1) {
    const restaurant = await addTestRestaurant(app, settings);
    strange.push({ restaurant, owner: await signInAs(stage, 'owner', { restaurant }) });
  }
  const own = { phone: null, ...PLACE, onDuty: true, actor: { name: 'test' } };
  await add(app, { ...own, name: 'Of the ordinary', restaurantId: ordinary.id });
  const id = await add(app, { ...own, name: 'Carries it all', restaurantId: null, onDuty: false });
  const courier = { id, browser: await signInAs(stage, 'courier', { courier: id }) };
  const operator = await signInAs(stage, 'operator');
  return { stage, chance: createChance(seed), strange, ordinary, operator, courier };
}

async function add(app: App, courier: Parameters<typeof addCourier>[1]): Promise<string> {
  const added = await addCourier(app, courier);
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  return added.courier.id;
}

/** Returns one list of IDs per strange tenant. */
async function placeStrange({ stage, chance, strange }: Run, first: number, count: number): Promise<string[][]> {
  const ids = strange.map((): string[] => []);
  const bodies = Array.from({ length: count }, (_, index) => {
    const tenant = (first + index) % strange.length;
    const restaurantId = strange[tenant]?.restaurant.restaurantId ?? '';
    return { tenant, text: drawOrder(chance, { orderId: `strange-${first + index}`, restaurantId }) };
  });
  await inParallel(bodies, CONCURRENCY, async ({ tenant, text }) => {
    const answer = await post(stage, strange[tenant]?.restaurant, text);
    if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()} to ${text}`);
    const { serviceOrderId } = (await answer.json()) as { serviceOrderId: string };
    ids[tenant]?.push(serviceOrderId);
  });
  return ids;
}

function post({ address }: ContentStage, restaurant: TestRestaurant | undefined, body: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-api-key': restaurant?.apiKey ?? '' };
  return fetch(`${address}/webhook/third-party/order`, { method: 'POST', headers, body });
}

let ordinaryOrders = 0;

/** Takes an ordinary order from placing to drop-off; returns how long it waited for its offer. */
async function carryOrdinary({ stage, ordinary }: Run): Promise<number> {
  const { app, eventually } = stage;
  ordinaryOrders += 1;
  const orderId = `ordinary-${ordinaryOrders}`;
  const dropoff = { location: { latitude: PLACE.latitude + 0.005, longitude: PLACE.longitude } };
  const startedMs = performance.now();
  const answer = await post(stage, ordinary, JSON.stringify({ orderId, restaurantId: ordinary.restaurantId, dropoff }));
  const { serviceOrderId: id } = (await answer.json()) as { serviceOrderId: string };
  await eventually(`ordinary order ${orderId} is offered to its courier`, async () => {
    return (await findOrderById(app.db, id))?.state === 'ASSIGNED';
  });
  const waitedMs = performance.now() - startedMs;
  const courierId = (await findOrderById(app.db, id))?.courier?.id ?? '';
  const courier: Actor = { role: 'courier', courierId };
  await change(app, { orderId: id, command: { name: 'accept' }, actor: courier });
  await change(app, { orderId: id, command: { name: 'prepare' }, actor: { role: 'restaurant' } });
  await change(app, { orderId: id, command: { name: 'pick_up' }, actor: courier });
  await change(app, { orderId: id, command: { name: 'deliver' }, actor: courier });
  return waitedMs;
}

async function change(app: App, request: Omit<ChangeRequest, 'scope'>): Promise<void> {
  const result = await app.changer.change({ ...request, scope: 'everything' });
  const { orderId, command } = request;
  if (result.kind === 'refused') throw new Error(`${command.name} of ${orderId}: ${result.refusal.message}`);
}

async function readPages({ strange, operator, stage }: Run, ids: string[][]): Promise<void> {
  await mustAnswer(operator, mapApi.readAll);
  await mustAnswer(operator, overviewApi.read);
  for (const [tenant, { owner }] of strange.entries()) {
    const own = ids[tenant] ?? [];
    await mustAnswer(owner, mapApi.read);
    const board = await mustAnswer(owner, ordersApi.list);
    const missing = own.find((id) => !board.includes(id));
    if (missing !== undefined) throw new Error(`the board does not show ${missing}`);
    const ofOrder = (orderId: string) => ({ params: { orderId } });
    await inParallel(own, PAGE_CONCURRENCY, async (id) => void (await mustAnswer(owner, ordersApi.read, ofOrder(id))));
    for (const id of own.filter((_, index) => index % 50 === 0)) {
      await mustAnswer(owner, timelineApi.read, ofOrder(id));
      await mustAnswer(owner, candidatesApi.listForRestaurant, ofOrder(id));
      await mustAnswer(operator, operatorPlanningApi.readOrder, ofOrder(id));
    }
  }
  await refuseTroubles(stage.app);
}

/** Throws if anything was set aside. */
async function refuseTroubles(app: App): Promise<void> {
  const [trouble] = await listSetAside(app.db, app.clock.now(), 1);
  if (trouble !== undefined)
    throw new Error(`set aside by ${trouble.work}: ${trouble.kind} ${trouble.id}: ${trouble.reason}`);
}

async function readCourierPage({ stage, courier }: Run, ids: readonly string[]): Promise<void> {
  const { app } = stage;
  const own: Actor = { role: 'courier', courierId: courier.id };
  await inParallel(ids, CONCURRENCY, async (id) => {
    await take(app, id, courier.id);
    await change(app, { orderId: id, command: { name: 'accept' }, actor: own });
  });
  const page = await mustAnswer(courier.browser, courierApi.readWork);
  const missing = ids.find((id) => !page.includes(id));
  if (missing !== undefined) throw new Error(`the courier page does not show ${missing}`);
}

/** The planner may route an order at any moment, so assigning it here can be refused. */
async function take(app: App, orderId: string, courierId: string): Promise<void> {
  const assigned = await app.changer.change({
    scope: 'everything',
    orderId,
    command: { name: 'assign', courierId },
    actor: OPERATOR,
  });
  if (assigned.kind !== 'refused') return;
  await change(app, { orderId, command: { name: 'select', courierId }, actor: OPERATOR });
}

function cancelAll({ stage: { app } }: Run, ids: readonly string[]): Promise<void> {
  const cancellation = { reasonId: 'OTHER', by: 'Restaurant', text: 'The run continues' } as const;
  return inParallel(ids, CONCURRENCY, (id) =>
    change(app, { orderId: id, command: { name: 'cancel', cancellation }, actor: OPERATOR }),
  );
}

/** The restored database must read the same as the original. */
async function readRestored({ stage, strange }: Run, ids: readonly string[][]): Promise<void> {
  const restored = openDatabase({ url: await stage.backUpAndRestore() });
  try {
    for (const [tenant, { restaurant }] of strange.entries()) {
      const own = ids[tenant] ?? [];
      const before = await readAsStored(stage.app.db, restaurant.id, own);
      const after = await readAsStored(restored, restaurant.id, own);
      const different = before.find((text, index) => text !== after[index]);
      if (different !== undefined) throw new Error(`changed by the restore: ${different}`);
    }
  } finally {
    await restored.close();
  }
}

/** Plans are excluded because the planner keeps running during the backup and restore. */
async function readAsStored(db: App['db'], restaurantId: string, orderIds: readonly string[]): Promise<string[]> {
  const facts = await listOrderFacts(db, orderIds);
  const cards = await listBoard(db, restaurantId, null);
  const { orders } = await listMapOrders(db, restaurantId);
  return [
    ...facts.values.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    ...facts.troubles,
    ...cards.map((card) => ({ ...card, pickupAt: null, dropoffAt: null })),
    ...orders.map((order) => ({ ...order, plan: null })),
  ].map((value) => JSON.stringify(value));
}

/** Reads each feed to its end, so every event is read once. */
async function readFeeds({ stage, strange }: Run): Promise<void> {
  for (const { restaurant } of strange) {
    let after = '';
    for (let hasMore = true; hasMore;) {
      const headers = { 'x-api-key': restaurant.apiKey };
      const answer = await fetch(`${stage.address}/webhook/third-party/events?limit=500${after}`, { headers });
      if (answer.status !== 200) throw new Error(`feed: ${answer.status} ${await answer.text()}`);
      const page = (await answer.json()) as { nextCursor: string; hasMore: boolean };
      after = `&after=${encodeURIComponent(page.nextCursor)}`;
      hasMore = page.hasMore;
    }
  }
}

async function auditEverything(app: App): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await auditHistory(app, { intervalMs: 0, orders: 1_000_000, events: 1_000_000 });
  }
  const [difference] = await app.db.query<{ kind: string; detail: string }>(
    'select kind, detail from audit_differences',
  );
  if (difference !== undefined) throw new Error(`the audit found ${difference.kind}: ${difference.detail}`);
  await refuseTroubles(app);
}

async function mustAnswer<R extends Route>(browser: Browser, route: R, ...given: Given<R>): Promise<string> {
  const { status, body } = await browser.call(route, ...given);
  if (status !== 200) throw new Error(`${urlOf(route, ...given)}: ${status} ${JSON.stringify(body)}`);
  return JSON.stringify(body);
}

async function inParallel<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const lane = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
}
