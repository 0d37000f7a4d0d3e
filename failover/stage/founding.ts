// The restaurants of an installation, with their keys and receivers, and the people of one of them.
import type { App } from '../../src/app.ts';
import { commandOf } from '../../harness/nodes/served-node.ts';
import type { Temper } from '../../harness/receivers/receivers-process.ts';
import { addTestRestaurant, type TestRestaurant } from '../../harness/service/restaurant.ts';
import type { LoadSettings, StaffedRestaurant } from './load-process.ts';
import { addStaff } from './staff.ts';

export interface StageReceiver extends TestRestaurant {
  name: string;
  temper: Temper;
}

export interface Founded {
  receivers: StageReceiver[];
  restaurants: LoadSettings['restaurants'];
  staffed?: StaffedRestaurant;
}

/** Most orders are for receivers that answer well: the others only retry, for hours. */
const WEIGHTS: Record<Temper, number> = { good: 6, slow: 2, failing: 1, hostile: 1 };

/** The last one is that of the restaurant whose people use the pages. */
export const RECEIVERS: readonly { name: string; temper: Temper }[] = [
  { name: 'good', temper: 'good' },
  { name: 'slow', temper: 'slow' },
  { name: 'failing', temper: 'failing' },
  { name: 'hostile', temper: 'hostile' },
  { name: 'staffed', temper: 'good' },
];
/** A week: the System must not cancel an order during the run. */
const COURIER_WAIT_MINUTES = 7 * 24 * 60;
const RATE_LIMIT_PER_MINUTE = 1_000_000;

type Ports = Readonly<Record<string, number>>;

function urlOf(ports: Ports, name: string, path: string): string {
  return `https://localhost:${ports[name]}${path}`;
}

export async function foundWithApp(admin: App, ports: Ports): Promise<Founded> {
  const receivers: StageReceiver[] = [];
  for (const receiver of RECEIVERS) {
    const restaurant = await addTestRestaurant(admin, {
      receiver: { url: (path) => urlOf(ports, receiver.name, path) },
      hasSecret: true,
      autoApprove: receiver.name !== 'staffed',
      courierWaitLimitMinutes: COURIER_WAIT_MINUTES,
    });
    receivers.push({ ...receiver, ...restaurant });
  }
  const staffed = receivers.at(-1);
  if (staffed === undefined) throw new Error('There are no receivers');
  const { id, restaurantId, apiKey } = staffed;
  return {
    receivers,
    restaurants: weigh(receivers.slice(0, -1)),
    staffed: { restaurantId, apiKey, ...(await addStaff(admin, id)) },
  };
}

/** With the commands of another version, because only they match its schema. Nobody uses its pages. */
export async function foundWithCommands(
  main: string,
  settings: Record<string, string>,
  ports: Ports,
): Promise<Founded> {
  const receivers: StageReceiver[] = [];
  for (const receiver of RECEIVERS.slice(0, -1)) {
    const { name } = receiver;
    const run = (...words: string[]) => commandOf(main, settings, words);
    const limits = { 'rate-limit': RATE_LIMIT_PER_MINUTE, 'courier-wait-minutes': COURIER_WAIT_MINUTES };
    const flags = Object.entries(limits).flatMap(([flag, value]) => [`--${flag}`, String(value)]);
    const added = await run('restaurant', 'add', '--name', name, '--restaurant-id', name, '--auto-approve', ...flags);
    const { apiKey } = await run('key', 'create', '--restaurant', name);
    const urls = ['--status-url', urlOf(ports, name, '/status'), '--cancel-url', urlOf(ports, name, '/cancel')];
    await run('webhook', 'set', '--restaurant', name, ...urls);
    const { secret } = await run('webhook', 'secret', '--restaurant', name);
    const known = { id: String(added['id']), restaurantId: name, apiKey: String(apiKey), secret: String(secret) };
    receivers.push({ ...receiver, ...known });
  }
  return { receivers, restaurants: weigh(receivers) };
}

function weigh(receivers: readonly StageReceiver[]): LoadSettings['restaurants'] {
  return receivers.map(({ restaurantId, apiKey, temper }) => ({ restaurantId, apiKey, weight: WEIGHTS[temper] }));
}
