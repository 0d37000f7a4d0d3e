// A node as a process of its own, so that it can be killed and frozen. Orders reach it over HTTP, commands over the
// line between parent and child.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChangeRequest, ChangeResult } from '../../src/actions/change-order.ts';
import { getTestAuthority } from './receiver.ts';
import type { TestRestaurant } from './service.ts';

export interface NodeSettings {
  databaseUrl: string;
  masterKeyHex: string;
  caPem: string;
  /** Commits orders and their events apart, with this pause between. */
  splitForMs?: number;
  logLevel?: string;
}

export interface NodeQuestion {
  number: number;
  request: ChangeRequest;
}

export type NodeAnswer =
  | { kind: 'ready'; address: string }
  | { kind: 'answer'; number: number; result: ChangeResult }
  | { kind: 'failure'; number: number; reason: string };

export interface NodeProcess {
  address: string;
  /** From the spawn to the first moment at which it takes orders. */
  readyAfterMs: number;
  /** Rejects when the node dies before it answers: whether the command happened is then unknown. */
  change(request: ChangeRequest): Promise<ChangeResult>;
  post(restaurant: TestRestaurant, body: object): Promise<Response>;
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
}

export type NodeOptions = { databaseUrl: string; masterKey: Buffer } & Pick<NodeSettings, 'splitForMs' | 'logLevel'>;

const ENTRY = fileURLToPath(new URL('node-entry.ts', import.meta.url));
// Shared by all nodes of all runs: without it, each start spends most of its time compiling.
const COMPILE_CACHE = path.join(tmpdir(), 'waybill-node-compile-cache');

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export async function startNode(options: NodeOptions): Promise<NodeProcess> {
  const startedAtMs = performance.now();
  const child = await spawnNode(options);
  const waiting = new Map<number, { resolve(result: ChangeResult): void; reject(error: Error): void }>();
  const exited = once(child, 'exit');
  child.once('exit', () => {
    running.delete(child);
    for (const { reject } of waiting.values()) reject(new Error('The node is dead'));
    waiting.clear();
  });
  const address = await new Promise<string>((resolve, reject) => {
    child.on('message', (answer: NodeAnswer) => {
      if (answer.kind === 'ready') return resolve(answer.address);
      const question = waiting.get(answer.number);
      waiting.delete(answer.number);
      if (answer.kind === 'answer') question?.resolve(answer.result);
      else question?.reject(new Error(answer.reason));
    });
    child.once('exit', () => reject(new Error('The node ended before it was ready')));
  });
  await waitUntilReady(address);
  const readyAfterMs = performance.now() - startedAtMs;
  let lastNumber = 0;
  return {
    address,
    readyAfterMs,
    change: (request) =>
      new Promise((resolve, reject) => {
        lastNumber += 1;
        const question: NodeQuestion = { number: lastNumber, request };
        if (!child.connected) return reject(new Error('The node is dead'));
        waiting.set(question.number, { resolve, reject });
        // Told by the exit as well; the error itself says no more than that the line is cut.
        child.send(question, () => undefined);
      }),
    post: (restaurant, body) => postOrder(address, restaurant, body),
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

export function postOrder(address: string, restaurant: TestRestaurant, body: object): Promise<Response> {
  return fetch(`${address}/webhook/third-party/order`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': restaurant.apiKey },
    body: JSON.stringify({ restaurantId: restaurant.restaurantId, ...body }),
  });
}

async function spawnNode({ databaseUrl, masterKey, ...more }: NodeOptions): Promise<ChildProcess> {
  const authority = await getTestAuthority();
  const settings: NodeSettings = {
    ...more,
    databaseUrl,
    masterKeyHex: masterKey.toString('hex'),
    caPem: authority.certificatePem,
  };
  const child = spawn(process.execPath, [ENTRY], {
    env: { ...process.env, WAYBILL_TEST_NODE: JSON.stringify(settings), NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  running.add(child);
  return child;
}

async function waitUntilReady(address: string): Promise<void> {
  const answer = await fetch(`${address}/readyz`);
  if (answer.status !== 200) throw new Error(`The node is not ready: ${answer.status} ${await answer.text()}`);
}
