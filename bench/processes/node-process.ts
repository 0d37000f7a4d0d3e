// One node of Waybill, wired and logging as in production. The bench drives it from inside where the load has to be
// commands instead of requests.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { addRestaurant } from '../../src/actions/restaurants/add-restaurant.ts';
import { addUser } from '../../src/actions/people/add-user.ts';
import { createApiKey } from '../../src/actions/restaurants/create-api-key.ts';
import { createWebhookSecret } from '../../src/actions/webhooks/create-webhook-secret.ts';
import { setWebhookUrls } from '../../src/actions/webhooks/set-webhook-urls.ts';
import { buildApp, type App } from '../../src/app.ts';
import type { Config } from '../../src/settings/config.ts';
import type { Restaurant } from '../../src/domain/restaurants/restaurant.ts';
import { addressOf } from '../../src/http/protocol/listen.ts';
import { openLog } from '../../src/runtime/log.ts';
import { createDatabaseClock } from '../../src/runtime/database-clock.ts';
import { createPlatform } from '../../src/platform.ts';
import { openBrowser } from '../../harness/service/panel-client.ts';
import { testConfig } from '../../harness/service/test-config.ts';
import { pointResolversTo } from '../../harness/receivers/resolvers.ts';
import { answerParent } from './messages.ts';
import { monotonicMs } from '../../harness/measure/monotonic.ts';
import { atRate } from './open-loop.ts';
import { nextOrderId, orderContent } from './orders.ts';

export interface NodeSetup {
  databaseUrl: string;
  /** Hexadecimal. */
  masterKey: string;
  caPem: string;
  logFile: string;
  /** Excludes `plan` by default, because most benches have thousands of orders and no couriers. */
  roles?: Config['roles'];
  /** Name server to use instead of the system's, as `address:port`. */
  nameServer?: string;
  /** Number of processes that share the port, as with WAYBILL_WORKERS. */
  workers?: number;
  /** The shared port; 0, the default, picks a free one. */
  port?: number;
}

export interface BenchRestaurant {
  restaurant: Restaurant;
  /** The service's id. */
  id: string;
  /** The integrator's id. */
  restaurantId: string;
  apiKey: string;
  secret: string;
}

export interface Commit {
  orderId: string;
  restaurantId: string;
  askedAtMs: number;
  committedAtMs: number;
}

const MAX_ALLOWED_PER_MINUTE = 1_000_000;
const ACTOR = { name: 'bench' };

/** Sampling interval for the event loop delay. */
const LOOP_LOOK_MS = 2;
const loopDelay = monitorEventLoopDelay({ resolution: LOOP_LOOK_MS });

let running: App | undefined;
const restaurants = new Map<string, Restaurant>();
/** Placed and not yet approved. */
let placed: { orderId: string; restaurantId: string }[] = [];

const commands = {
  async start(setup: NodeSetup): Promise<string> {
    const { log } = openLog(setup.logFile);
    // Patches the resolvers, because the service has no setting for name servers.
    if (setup.nameServer !== undefined) pointResolversTo(setup.nameServer);
    running = buildApp({
      config: testConfig({
        port: setup.port ?? 0,
        workers: setup.workers ?? 1,
        roles: setup.roles ?? ['api', 'deliver'],
        webhookCa: setup.caPem,
      }),
      databaseUrl: setup.databaseUrl,
      masterKey: Buffer.from(setup.masterKey, 'hex'),
      platform: createPlatform(log, createDatabaseClock()),
    });
    return running.start();
  },

  async addRestaurant(wanted: { isAutoApproving: boolean; webhookUrl: string }): Promise<BenchRestaurant> {
    const restaurantId = `bench-restaurant-${restaurants.size}`;
    const added = await addRestaurant(app(), {
      restaurantId,
      actor: ACTOR,
      settings: {
        name: 'Bench',
        timeZone: 'Europe/Istanbul',
        rateLimitPerMinute: MAX_ALLOWED_PER_MINUTE,
        autoApprove: wanted.isAutoApproving,
      },
    });
    if (added.kind === 'refused') throw new Error(added.refusal.code);
    restaurants.set(restaurantId, added.restaurant);
    const by = { restaurantId: added.restaurant.id, actor: ACTOR };
    const key = await createApiKey(app(), { ...by, environment: 'live', lifetimeMs: null });
    if (key.kind === 'refused') throw new Error(key.refusal.code);
    await commands.setWebhookUrl({ restaurantId, url: wanted.webhookUrl });
    const secret = await createWebhookSecret(app(), by);
    if (secret.kind === 'refused') throw new Error(secret.refusal.code);
    return {
      restaurant: added.restaurant,
      id: added.restaurant.id,
      restaurantId,
      apiKey: key.apiKey,
      secret: secret.secret,
    };
  },

  /** Adds a staff member of the restaurant, signs them in and returns their cookies. */
  async signInStaff(restaurantId: string): Promise<string> {
    const added = await addUser(app(), {
      email: 'staff@example.com',
      role: 'staff',
      restaurantId: idOf(restaurantId),
      courierId: null,
      actor: ACTOR,
    });
    if (added.kind === 'refused') throw new Error(added.refusal.code);
    const browser = openBrowser(addressOf(app().server));
    const { status } = await browser.signIn({ email: 'staff@example.com', password: added.password });
    if (status !== 200) throw new Error('staff could not sign in');
    return browser.cookieHeader();
  },

  /** Registers a restaurant that another process of the same service added. */
  meetRestaurant(restaurant: Restaurant): void {
    restaurants.set(restaurant.providerRestaurantId, restaurant);
  },

  /** With a null URL, pending deliveries to the restaurant are held. */
  async setWebhookUrl({ restaurantId, url }: { restaurantId: string; url: string | null }): Promise<void> {
    const set = await setWebhookUrls(app(), {
      restaurantId: idOf(restaurantId),
      actor: ACTOR,
      urls: { status: url, cancel: url },
    });
    if (set.kind === 'refused') throw new Error(set.refusal.code);
  },

  /** Places orders that wait for approval. */
  placeOrders: (wanted: { restaurantId: string; count: number }): Promise<void> =>
    placeInTurn([wanted.restaurantId], wanted.count),

  /** The same for several restaurants, round robin. */
  placeOrdersAcross: (wanted: { restaurantIds: readonly string[]; count: number }): Promise<void> =>
    placeInTurn(wanted.restaurantIds, wanted.count),

  /** Approves the placed orders at maximum speed, with `atOnce` concurrent commands. */
  async approveAll(atOnce: number): Promise<{ startedAtMs: number; endedAtMs: number }> {
    const startedAtMs = monotonicMs();
    await inLanes(placed.length, atOnce, (index) => approve(placed[index]?.orderId ?? ''));
    return { startedAtMs, endedAtMs: monotonicMs() };
  },

  /** Cancels the first `count` placed orders, which stay in the list. */
  async cancelFirst(count: number): Promise<void> {
    await inLanes(count, 50, (index) => cancel(placed[index]?.orderId ?? ''));
  },

  /** Approves the first `count` placed orders at a fixed rate; returns when each was requested and committed. */
  async approveAtRate({ ratePerSecond, count }: { ratePerSecond: number; count: number }): Promise<Commit[]> {
    const chosen = placed.splice(0, count);
    const commits: Commit[] = [];
    await atRate(ratePerSecond, chosen.length, async (index) => {
      const { orderId, restaurantId } = chosen[index] ?? { orderId: '', restaurantId: '' };
      const askedAtMs = monotonicMs();
      await approve(orderId);
      commits.push({ orderId, restaurantId, askedAtMs, committedAtMs: monotonicMs() });
    });
    return commits;
  },

  /** Routes an order as the planner would. */
  async route(orderId: string): Promise<void> {
    const result = await app().changer.change({
      scope: 'everything',
      orderId,
      command: { name: 'route' },
      actor: { role: 'planner' },
    });
    if (result.kind !== 'changed') throw new Error('an order could not be routed');
  },

  /** Resolves when every webhook created so far is delivered and recorded. */
  async settle(): Promise<void> {
    while (app().engine.stats().inMemory > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await app().engine.idle();
  },

  watchLoop(): void {
    loopDelay.reset();
    loopDelay.enable();
  },

  /** Event loop delay since watchLoop, which is how long a request may have waited for the loop. */
  readLoop(): { p99Ms: number; maxMs: number } {
    loopDelay.disable();
    const lateMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - LOOP_LOOK_MS);
    return { p99Ms: lateMs(loopDelay.percentile(99)), maxMs: lateMs(loopDelay.max) };
  },

  async stop(): Promise<void> {
    await app().stop();
  },
};

export type NodeCommands = typeof commands;

function app(): App {
  if (running === undefined) throw new Error('the node was not started');
  return running;
}

function idOf(restaurantId: string): string {
  const restaurant = restaurants.get(restaurantId);
  if (restaurant === undefined) throw new Error(`no restaurant ${restaurantId}`);
  return restaurant.id;
}

async function placeInTurn(restaurantIds: readonly string[], count: number): Promise<void> {
  placed = [];
  await inLanes(count, 400, async (index) => {
    const restaurantId = restaurantIds[index % restaurantIds.length] ?? '';
    const restaurant = restaurants.get(restaurantId);
    if (restaurant === undefined) throw new Error(`no restaurant ${restaurantId}`);
    const orderId = nextOrderId();
    const content = orderContent(orderId, restaurantId);
    const result = await app().placer.place({
      restaurant,
      orderId,
      content,
      contentBytes: Buffer.from(JSON.stringify(content)),
      wantedAt: null,
      warnings: [],
      issues: [],
    });
    if (result.kind !== 'created') throw new Error('an order could not be placed');
    placed[index] = { orderId: result.order.serviceOrderId, restaurantId };
  });
}

async function approve(orderId: string): Promise<void> {
  const result = await app().changer.change({
    scope: 'everything',
    orderId,
    command: { name: 'approve' },
    actor: { role: 'restaurant' },
  });
  if (result.kind !== 'changed') throw new Error('an order could not be approved');
}

async function cancel(orderId: string): Promise<void> {
  const result = await app().changer.change({
    scope: 'everything',
    orderId,
    command: { name: 'cancel', cancellation: { reasonId: 'OTHER', by: 'Restaurant', text: 'Bench' } },
    actor: { role: 'restaurant' },
  });
  if (result.kind !== 'changed') throw new Error('an order could not be canceled');
}

async function inLanes(count: number, lanes: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, lanes) }, lane));
}

answerParent(commands);
