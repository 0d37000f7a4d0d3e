// The clients, in a separate process. Orders arrive at a constant rate, regardless of earlier ones. A request that is
// not acknowledged is repeated until it is.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createChance } from '../../harness/chance.ts';
import { openHistory } from '../../harness/history.ts';
import { openAnswers } from './answers.ts';
import { HttpClient, type Ask, type Reply } from './client.ts';
import { openPages, type Person } from './pages.ts';

export interface LoadSettings {
  historyFile: string;
  answersFile: string;
  seed: number;
  /** Of HAProxy. */
  port: number;
  ordersPerSecond: number;
  /** Orders of these are approved at once. `weight`: how many of the orders they get. */
  restaurants: (Restaurant & { weight: number })[];
  /** Its orders go through the pages of the restaurant and of a courier. */
  staffed?: StaffedRestaurant;
}

interface Restaurant {
  restaurantId: string;
  apiKey: string;
}

export interface StaffedRestaurant extends Restaurant {
  owner: Person;
  courier: Person;
  courierId: string;
}

export type LoadOrder = { kind: 'rate'; ordersPerSecond: number } | { kind: 'finish' };

/** What the load did, sent when it has finished. */
export interface LoadTotals {
  delivered: number;
  /** Ended by a refusal, such as an offer that expired during an outage. */
  abandoned: number;
}

const STAFFED_SHARE = 0.03;
const CANCELED_SHARE = 0.05;
/** Added to Retry-After, so that clients do not return all at once. */
const MAX_JITTER_MS = 1_000;
const DEFAULT_RETRY_MS = 1_000;

const settings = JSON.parse(process.env['WAYBILL_FAILOVER_LOAD'] ?? '') as LoadSettings;
const { staffed } = settings;
const write = openHistory(settings.historyFile);
const client = new HttpClient(settings.port, openAnswers(settings.answersFile));
const chance = createChance(settings.seed);
const drawn = settings.restaurants.flatMap((restaurant) => Array.from({ length: restaurant.weight }, () => restaurant));
const pages = staffed === undefined ? undefined : openPages(insist, { write, staffed });
const under = new Set<Promise<void>>();
const totals: LoadTotals = { delivered: 0, abandoned: 0 };
let { ordersPerSecond } = settings;
const stopping = new AbortController();

/** Repeats the request until it is answered by success or by a refusal. */
async function insist(asked: Omit<Ask, 'isRepeat'>, onReply?: (reply: Reply, isRepeat: boolean) => void) {
  for (let isRepeat = false; ; isRepeat = true) {
    const wasRepeat = isRepeat;
    const reply = await client.ask({ ...asked, isRepeat }, (seen) => onReply?.(seen, wasRepeat));
    if (reply.status > 0 && reply.status < 500) return reply;
    const seconds = Number(reply.headers['retry-after']);
    await pause((seconds > 0 ? seconds * 1_000 : DEFAULT_RETRY_MS) + chance.below(MAX_JITTER_MS));
  }
}

function askFor({ apiKey }: Restaurant, path: string, body: object): Omit<Ask, 'isRepeat' | 'kind'> {
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  return { method: 'POST', path: `/webhook/third-party/order${path}`, headers, body };
}

async function place(restaurant: Restaurant, orderId: string): Promise<string> {
  const { restaurantId } = restaurant;
  const asked = { ...askFor(restaurant, '', { orderId, restaurantId }), kind: 'order' as const };
  const { body } = await insist(asked, (reply, isRepeat) => {
    const { status } = reply;
    if (status === 201 || (status === 200 && isRepeat)) {
      const serviceOrderId = String(reply.body['serviceOrderId']);
      write({ kind: 'placed', restaurant: restaurantId, orderId, serviceOrderId });
    } else if (status > 0 && status < 500) {
      write({ kind: 'complaint', text: `${orderId}: ${status} ${JSON.stringify(reply.body)}` });
    }
  });
  return String(body['serviceOrderId']);
}

async function cancel(restaurant: Restaurant, orderId: string, serviceOrderId: string): Promise<void> {
  const reason = { cancelReasonId: 'CUSTOMER_REQUEST' };
  const asked = { ...askFor(restaurant, `/${orderId}/cancel`, reason), kind: 'cancel' as const };
  await insist(asked, (reply) => {
    if (reply.status === 200) write({ kind: 'changed', serviceOrderId, to: 'CANCELED' });
    else if (reply.status > 0 && reply.status < 500) {
      write({ kind: 'complaint', text: `cancel ${orderId}: ${reply.status} ${JSON.stringify(reply.body)}` });
    }
  });
}

async function live(): Promise<void> {
  const isStaffed = chance.isTrue(STAFFED_SHARE);
  const restaurant = (isStaffed ? staffed : undefined) ?? chance.pick(drawn);
  const isCanceled = chance.isTrue(CANCELED_SHARE);
  const orderId = `order-${randomUUID()}`;
  const serviceOrderId = await place(restaurant, orderId);
  if (restaurant === staffed && pages !== undefined)
    totals[(await pages.deliver(serviceOrderId)) ? 'delivered' : 'abandoned'] += 1;
  else if (isCanceled) await cancel(restaurant, orderId, serviceOrderId);
}

/** Each order starts on time. If this process was late, the missed ones start at once. */
async function arrive(): Promise<void> {
  let dueAtMs = performance.now();
  while (!stopping.signal.aborted) {
    await pause(Math.max(0, dueAtMs - performance.now()));
    dueAtMs += 1_000 / ordersPerSecond;
    const work = live().catch((error: unknown) => write({ kind: 'complaint', text: String(error) }));
    under.add(work);
    void work.finally(() => under.delete(work));
  }
}

await pages?.signIn();
const arriving = arrive();

async function finish(): Promise<void> {
  stopping.abort();
  await arriving;
  await Promise.all(under);
  process.send?.(totals);
  process.disconnect();
}

process.on('message', (order: LoadOrder) => {
  if (order.kind === 'rate') ({ ordersPerSecond } = order);
  else void finish();
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
