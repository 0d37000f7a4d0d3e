// A node in a separate process, so that it can be killed and frozen. It takes orders and commands over HTTP on two
// separate ports.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ChangeRequest, ChangeResult } from '../../src/actions/orders/change-order.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import type { Damage } from './sender-damage.ts';
import type { ClockSpeed } from '../clocks/fast-clock.ts';
import type { NodeMistake } from './mistakes.ts';
import { getTestAuthority } from '../receivers/receiver.ts';
import type { TestRestaurant } from '../service/restaurant.ts';

export interface NodeSettings {
  databaseUrl: string;
  masterKeyHex: string;
  caPem: string;
  /** Commits orders and their events in two transactions, with this pause in between. */
  splitForMs?: number;
  /** Defaults to `api` and `deliver`. */
  roles?: readonly ('api' | 'deliver' | 'plan')[];
  /** A deliberate fault in the sender. */
  damage?: Damage;
  /** A safeguard that is removed. */
  mistake?: NodeMistake;
  /** Speeds up wall time, so that hours of retry waits pass in minutes. */
  clockSpeed?: ClockSpeed;
}

/** The ready message of a node. */
export interface NodeAddresses {
  address: string;
  commandAddress: string;
}

type PostingRestaurant = Pick<TestRestaurant, 'restaurantId' | 'apiKey'>;

export interface NodeProcess extends NodeAddresses {
  pid: number;
  /** From the spawn until the node takes orders. */
  readyAfterMs: number;
  /** Rejects if the node dies before it responds; whether the command was applied is then unknown. */
  change(request: ChangeRequest): Promise<ChangeResult>;
  post(restaurant: PostingRestaurant, body: object): Promise<Response>;
  /** Resolves when the process has ended for any reason. */
  ended: Promise<unknown>;
  kill(): Promise<void>;
  /** Stops gracefully; resolves when the process has ended. */
  stop(): Promise<void>;
  freeze(): void;
  thaw(): void;
}

export type NodeOptions = { databaseUrl: string; masterKey: Buffer; env?: Record<string, string> } & Pick<
  NodeSettings,
  'splitForMs' | 'roles' | 'damage' | 'mistake' | 'clockSpeed'
>;

const ENTRY = fileURLToPath(new URL('node-entry.ts', import.meta.url));

const READY_WITHIN_MS = 60_000;
const READY_POLL_MS = 20;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export async function startNode(options: NodeOptions): Promise<NodeProcess> {
  const startedAtMs = performance.now();
  const child = await spawnNode(options);
  const exited = once(child, 'exit');
  child.once('exit', () => running.delete(child));
  const addresses = await new Promise<NodeAddresses>((resolve, reject) => {
    child.once('message', (ready: NodeAddresses) => resolve(ready));
    child.once('exit', () => reject(new Error('The node ended before it was ready')));
  });
  await waitUntilReady(addresses.address);
  return {
    ...addresses,
    pid: child.pid ?? 0,
    ended: exited,
    readyAfterMs: performance.now() - startedAtMs,
    change: (request) => postCommand(addresses.commandAddress, request),
    post: (restaurant, body) => postOrder(addresses.address, restaurant, body),
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

export async function postCommand(address: string, request: ChangeRequest): Promise<ChangeResult> {
  const answer = await fetch(address, { method: 'POST', body: JSON.stringify(request) });
  if (answer.status !== 200) throw new Error(await answer.text());
  return (await answer.json()) as ChangeResult;
}

export function postOrder(address: string, restaurant: PostingRestaurant, body: object): Promise<Response> {
  return fetch(`${address}/webhook/third-party/order`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': restaurant.apiKey },
    body: JSON.stringify({ restaurantId: restaurant.restaurantId, ...body }),
  });
}

async function spawnNode({ databaseUrl, masterKey, env = {}, ...more }: NodeOptions): Promise<ChildProcess> {
  const authority = await getTestAuthority();
  const settings: NodeSettings = {
    ...more,
    databaseUrl,
    masterKeyHex: masterKey.toString('hex'),
    caPem: authority.certificatePem,
  };
  const child = spawn(process.execPath, [ENTRY], {
    env: { ...process.env, ...env, WAYBILL_TEST_NODE: JSON.stringify(settings), NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  running.add(child);
  return child;
}

/** Retries, because the database may be briefly unavailable or the machine busy. */
async function waitUntilReady(address: string): Promise<void> {
  const until = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const answer = await fetch(`${address}/readyz`);
    const text = await answer.text();
    if (answer.status === 200) return;
    if (performance.now() > until) throw new Error(`The node is not ready: ${answer.status} ${text}`);
    await pause(READY_POLL_MS);
  }
}
