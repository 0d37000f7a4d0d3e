// One node of Waybill, wired and logging as in production, and driven by the bench from inside where the load has to
// be commands instead of requests.
import { addRestaurant } from '../src/actions/add-restaurant.ts';
import { createApiKey } from '../src/actions/create-api-key.ts';
import { createWebhookSecret } from '../src/actions/create-webhook-secret.ts';
import { setWebhookUrls } from '../src/actions/set-webhook-urls.ts';
import { buildApp, type App } from '../src/app.ts';
import type { Restaurant } from '../src/domain/restaurant.ts';
import { openLog } from '../src/log.ts';
import { createPlatform } from '../src/platform.ts';
import { answerParent } from './commands.ts';
import { monotonicMs } from './monotonic.ts';
import { atRate } from './open-loop.ts';
import { nextOrderId, orderContent } from './orders.ts';

export interface NodeSetup {
  databaseUrl: string;
  /** Hexadecimal. */
  masterKey: string;
  caPem: string;
  logFile: string;
}

export interface BenchRestaurant {
  restaurantId: string;
  apiKey: string;
  secret: string;
}

export interface Commit {
  orderId: string;
  askedAtMs: number;
  committedAtMs: number;
}

const MOST_ALLOWED_PER_MINUTE = 1_000_000;
const ACTOR = 'bench';

let running: App | undefined;
const restaurants = new Map<string, Restaurant>();
/** Placed and not yet approved. */
let placed: string[] = [];

const commands = {
  async start(setup: NodeSetup): Promise<string> {
    const { log } = openLog(setup.logFile);
    running = buildApp({
      config: {
        host: '127.0.0.1',
        port: 0,
        roles: ['api', 'deliver', 'plan'],
        environment: 'live',
        webhookAllowCidrs: ['127.0.0.0/8'],
        webhookCa: setup.caPem,
      },
      databaseUrl: setup.databaseUrl,
      masterKey: Buffer.from(setup.masterKey, 'hex'),
      platform: createPlatform(log),
    });
    return running.start();
  },

  async addRestaurant(wanted: { isAutoApproving: boolean; webhookUrl: string }): Promise<BenchRestaurant> {
    const restaurantId = `bench-restaurant-${restaurants.size}`;
    const by = { restaurantId, actor: ACTOR };
    const added = await addRestaurant(app(), {
      ...by,
      settings: {
        name: 'Bench',
        timeZone: 'Europe/Istanbul',
        rateLimitPerMinute: MOST_ALLOWED_PER_MINUTE,
        autoApprove: wanted.isAutoApproving,
      },
    });
    if (added.kind === 'refused') throw new Error(added.message);
    restaurants.set(restaurantId, added.restaurant);
    const key = await createApiKey(app(), { ...by, environment: 'live', lifetimeMs: null });
    if (key.kind === 'refused') throw new Error(key.message);
    const url = wanted.webhookUrl;
    const set = await setWebhookUrls(app(), { ...by, urls: { status: url, cancel: url } });
    if (set.kind === 'refused') throw new Error(set.message);
    const secret = await createWebhookSecret(app(), by);
    if (secret.kind === 'refused') throw new Error(secret.message);
    return { restaurantId, apiKey: key.apiKey, secret: secret.secret };
  },

  /** Puts orders in place that wait for approval. */
  async placeOrders(wanted: { restaurantId: string; count: number }): Promise<void> {
    const restaurant = restaurants.get(wanted.restaurantId);
    if (restaurant === undefined) throw new Error(`no restaurant ${wanted.restaurantId}`);
    placed = [];
    await inLanes(wanted.count, 400, async () => {
      const orderId = nextOrderId();
      const content = orderContent(orderId, wanted.restaurantId);
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
      placed.push(result.order.serviceOrderId);
    });
  },

  /** Approves what was placed, as fast as it goes with so many commands at once. */
  async approveAll(atOnce: number): Promise<{ startedAtMs: number; endedAtMs: number }> {
    const startedAtMs = monotonicMs();
    await inLanes(placed.length, atOnce, (index) => approve(placed[index] ?? ''));
    return { startedAtMs, endedAtMs: monotonicMs() };
  },

  /** Approves what was placed, so many a second, and says when each approval was asked for and committed. */
  async approveAtRate(ratePerSecond: number): Promise<Commit[]> {
    const commits: Commit[] = [];
    await atRate(ratePerSecond, placed.length, async (index) => {
      const orderId = placed[index] ?? '';
      const askedAtMs = monotonicMs();
      await approve(orderId);
      commits.push({ orderId, askedAtMs, committedAtMs: monotonicMs() });
    });
    return commits;
  },

  /** Resolves when every webhook made so far is delivered and written down. */
  async settle(): Promise<void> {
    while (app().engine.stats().inMemory > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await app().engine.idle();
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

async function approve(orderId: string): Promise<void> {
  const result = await app().changer.change({ orderId, command: { name: 'approve' }, actor: { role: 'restaurant' } });
  if (result.kind !== 'changed') throw new Error('an order could not be approved');
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
