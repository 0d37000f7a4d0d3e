import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { joinEmbeddedServer, type JoinOptions, type SharedServer } from './shared-server.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-shared-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function tryJoin(as: JoinOptions['as']): Promise<SharedServer | undefined> {
  return joinEmbeddedServer({ dataDir: path.join(folder, 'data'), as, onProgress: () => undefined });
}

async function join(as: JoinOptions['as']): Promise<SharedServer> {
  const server = await tryJoin(as);
  if (server === undefined) throw new Error('it was refused');
  return server;
}

async function answers(server: SharedServer): Promise<boolean> {
  const client = new Client({ connectionString: server.url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query('select 1')).rowCount === 1;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

test('the last user of the server stops it, and earlier ones do not', async () => {
  const first = await join('command');
  const second = await join('service');
  const third = await join('command');
  await first.leave();
  expect(await answers(first)).toBe(true);
  await second.leave();
  expect(await answers(first)).toBe(true);
  await third.leave();
  expect(await answers(first)).toBe(false);
});

test('a second service on the same data folder is rejected without affecting the first', async () => {
  const first = await join('service');
  expect(await tryJoin('service')).toBeUndefined();
  expect(await answers(first)).toBe(true);
  await first.leave();
  const second = await join('service');
  expect(await answers(second)).toBe(true);
  await second.leave();
});

test('overlapping commands always find a running server', async () => {
  const sessions = Array.from({ length: 4 }, async () => {
    const found: boolean[] = [];
    for (let round = 0; round < 3; round += 1) {
      const server = await join('command');
      found.push(await answers(server));
      await server.leave();
    }
    return found;
  });
  expect((await Promise.all(sessions)).flat()).toEqual(Array.from({ length: 12 }, () => true));
  const last = await join('command');
  await last.leave();
  expect(await answers(last)).toBe(false);
});
