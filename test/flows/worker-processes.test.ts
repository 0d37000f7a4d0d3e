// Several processes behind one port, started as `serve` starts them.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const WORKERS = 3;
const READY = /Waybill is ready at (http:\S+)/;

let testDatabase: TestDatabase;
let folder: string;
let service: ChildProcess;
let address: string;
/** Every worker process that was seen. */
let started: number[] = [];

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-workers-'));
  service = spawn(process.execPath, ['src/main.ts', 'serve'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      DATABASE_URL: testDatabase.url,
      WAYBILL_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      WAYBILL_DATA_DIR: folder,
      WAYBILL_PORT: '0',
      WAYBILL_WORKERS: String(WORKERS),
    },
  });
  address = await waitForAddress(service);
});

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

/** Processes whose parent is, or was, this one; worker processes only. */
async function listChildren(parent: number): Promise<number[]> {
  const text = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '');
  const children = text.split(' ').filter(Boolean).map(Number);
  started = [...new Set([...started, ...children])];
  return children;
}

/** By the second in which they started; the further processes may share theirs. */
async function askManyTimes(): Promise<Set<string>> {
  const answers = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const answer = await fetch(`${address}/metrics`, { headers: { connection: 'close' } });
      return /^process_start_time_seconds (\S+)/m.exec(await answer.text())?.[1] ?? 'unknown';
    }),
  );
  return new Set(answers);
}

test('several processes answer on one port, and one that is killed is replaced', async () => {
  const pid = service.pid ?? 0;
  await expect.poll(() => listChildren(pid)).toHaveLength(WORKERS - 1);
  await expect.poll(async () => (await askManyTimes()).size, { timeout: 20_000 }).toBeGreaterThan(1);
  const [first = 0, second = 0] = await listChildren(pid);
  process.kill(first, 'SIGKILL');
  await expect
    .poll(async () => (await listChildren(pid)).filter((child) => child !== first), { timeout: 20_000 })
    .toHaveLength(WORKERS - 1);
  expect(await listChildren(pid)).toContain(second);
  await expect.poll(async () => (await askManyTimes()).size, { timeout: 20_000 }).toBeGreaterThan(1);
});

test('told to stop, all processes end in order', async () => {
  const pid = service.pid ?? 0;
  await expect.poll(() => listChildren(pid)).toHaveLength(WORKERS - 1);
  const children = await listChildren(pid);
  service.kill('SIGTERM');
  const [code] = (await once(service, 'exit')) as [number];
  expect(code).toBe(0);
  expect(children.filter(isAlive)).toEqual([]);
});

test('the processes end by themselves when the one that started them is killed', async () => {
  const pid = service.pid ?? 0;
  await expect.poll(() => listChildren(pid)).toHaveLength(WORKERS - 1);
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
