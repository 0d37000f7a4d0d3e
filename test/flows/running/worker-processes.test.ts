// The processes of one node, as `serve` starts them: several share one port, and one plans.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NODE_NAME_PREFIX } from '../../../src/store/database/dedicated-connection.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const WORKERS = 3;
/** In addition to the first process: the other workers and the planning process. */
const FURTHER = WORKERS;
/** Each request uses a new connection, so any process may get it. */
const CLOSING = { headers: { connection: 'close' } };
const READY = /Waybill is ready at *(\S*)/;

let testDatabase: TestDatabase;
let folder: string;
let service: ChildProcess;
let address: string;
/** Every worker process seen so far. */
let started: number[] = [];

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-workers-'));
  started = [];
});

async function serve(settings: Record<string, string> = {}): Promise<number> {
  service = spawn(process.execPath, ['src/main.ts', 'serve'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      DATABASE_URL: testDatabase.url,
      WAYBILL_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      WAYBILL_DATA_DIR: folder,
      WAYBILL_PORT: '0',
      WAYBILL_DRAIN_SECONDS: '0',
      ...settings,
    },
  });
  address = await waitForAddress(service);
  return service.pid ?? 0;
}

const serveWithWorkers = (): Promise<number> => serve({ WAYBILL_WORKERS: String(WORKERS) });

afterEach(async () => {
  service.kill('SIGKILL');
  await vi.waitUntil(() => !started.some(isAlive), { timeout: 20_000 });
  await testDatabase.drop();
  await rm(folder, { recursive: true, force: true });
});

async function waitForAddress(child: ChildProcess): Promise<string> {
  let said = '';
  for await (const chunk of child.stderr ?? []) {
    said += String(chunk);
    const [, found] = READY.exec(said) ?? [];
    if (found !== undefined) return found;
  }
  throw new Error(`the service ended: ${said}`);
}

/** Child processes of this one; only called for worker processes. */
async function listChildren(parent: number): Promise<number[]> {
  const text = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '');
  const children = text.split(' ').filter(Boolean).map(Number);
  started = [...new Set([...started, ...children])];
  return children;
}

/** The role of each connected node. */
async function listNodes(): Promise<string[]> {
  const client = new Client({ connectionString: testDatabase.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select application_name as name from pg_stat_activity
       where datname = current_database() and starts_with(application_name, $1) order by 1`,
      [NODE_NAME_PREFIX],
    );
    return rows.map(({ name }) => name.slice(NODE_NAME_PREFIX.length));
  } finally {
    await client.end();
  }
}

/** The distinct start times of the answering processes, in seconds; some processes may share theirs. */
async function askManyTimes(): Promise<Set<string>> {
  const answers = await Promise.all(Array.from({ length: 24 }, readMetrics));
  return new Set(answers.map(startOf));
}

async function readMetrics(): Promise<string> {
  return (await fetch(`${address}/metrics`, CLOSING)).text();
}

function startOf(metrics: string): string {
  return /^process_start_time_seconds (\S+)/m.exec(metrics)?.[1] ?? 'unknown';
}

function readCount(metrics: string, route: string): number {
  const lines = metrics.split('\n').filter((line) => line.startsWith('waybill_http_request_seconds_count'));
  return Number(
    lines
      .find((line) => line.includes(`route="${route}"`))
      ?.split(' ')
      .at(-1),
  );
}

test('several processes answer on one port, and a killed one is replaced', async () => {
  const pid = await serveWithWorkers();
  await expect.poll(() => listChildren(pid)).toHaveLength(FURTHER);
  await expect.poll(async () => (await askManyTimes()).size, { timeout: 20_000 }).toBeGreaterThan(1);
  const [first = 0, second = 0] = await listChildren(pid);
  process.kill(first, 'SIGKILL');
  await expect
    .poll(async () => (await listChildren(pid)).filter((child) => child !== first), { timeout: 20_000 })
    .toHaveLength(FURTHER);
  expect(await listChildren(pid)).toContain(second);
  await expect.poll(async () => (await askManyTimes()).size, { timeout: 20_000 }).toBeGreaterThan(1);
});

test('any process answers metrics with the counts of all of them', async () => {
  const pid = await serveWithWorkers();
  await expect.poll(async () => (await askManyTimes()).size, { timeout: 20_000 }).toBeGreaterThan(1);
  const asked = 40;
  await Promise.all(Array.from({ length: asked }, () => fetch(`${address}/healthz`, CLOSING)));
  // On a busy machine, a process may be missing because it did not answer in time, but none is counted twice.
  const complete = new Set<string>();
  const look = async (): Promise<number> => {
    const answers = await Promise.all(Array.from({ length: 10 }, readMetrics));
    expect(Math.max(...answers.map((text) => readCount(text, '/healthz')))).toBeLessThanOrEqual(asked);
    for (const text of answers) if (readCount(text, '/healthz') === asked) complete.add(startOf(text));
    return complete.size;
  };
  await expect.poll(look, { timeout: 20_000 }).toBeGreaterThan(1);

  for (const child of await listChildren(pid)) process.kill(child, 'SIGSTOP');
  // Only the first process answers now, without the counts of the stopped ones; connections to those are left waiting.
  const first = await Promise.any(Array.from({ length: 40 }, readMetrics));
  expect(readCount(first, '/healthz')).toBeLessThan(asked);
  for (const child of await listChildren(pid)) process.kill(child, 'SIGCONT');
});

test('planning has its own process, which is replaced when it is killed', async () => {
  const pid = await serve();
  await expect.poll(listNodes, { timeout: 20_000 }).toEqual(['api,deliver', 'plan']);
  const [planning = 0, ...others] = await listChildren(pid);
  expect(others).toEqual([]);
  process.kill(planning, 'SIGKILL');
  await expect
    .poll(async () => (await listChildren(pid)).filter((child) => child !== planning), { timeout: 20_000 })
    .toHaveLength(1);
  await expect.poll(listNodes, { timeout: 20_000 }).toEqual(['api,deliver', 'plan']);
  expect((await fetch(`${address}/readyz`)).status).toBe(200);
});

test.each([
  ['in the test environment, where nobody plans', { WAYBILL_ENVIRONMENT: 'test' }, 'api,deliver,plan'],
  ['for a node that only plans', { WAYBILL_ROLES: 'plan' }, 'plan'],
  ['for a node that does not plan', { WAYBILL_ROLES: 'api,deliver' }, 'api,deliver'],
])('there is no second process %s', async (_case, settings, node) => {
  const pid = await serve(settings);
  await expect.poll(listNodes, { timeout: 20_000 }).toEqual([node]);
  expect(await listChildren(pid)).toEqual([]);
});

test('on a stop signal all processes shut down in order', async () => {
  const pid = await serveWithWorkers();
  await expect.poll(() => listChildren(pid)).toHaveLength(FURTHER);
  const children = await listChildren(pid);
  service.kill('SIGTERM');
  const [code] = (await once(service, 'exit')) as [number];
  expect(code).toBe(0);
  expect(children.filter(isAlive)).toEqual([]);
});

test('the processes exit when their parent is killed', async () => {
  const pid = await serveWithWorkers();
  await expect.poll(() => listChildren(pid)).toHaveLength(FURTHER);
  const children = await listChildren(pid);
  service.kill('SIGKILL');
  await expect.poll(() => children.filter(isAlive), { timeout: 20_000 }).toEqual([]);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
