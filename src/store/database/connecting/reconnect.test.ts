import { createServer, type AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { DatabaseUnavailable, openDatabase } from '../database.ts';

/** Accepts connections and closes each at once, like a proxy without a server. */
async function startDeadEnd() {
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void listener.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- listens on TCP
  const { port } = listener.address() as AddressInfo;
  return { url: `postgresql://nobody@127.0.0.1:${port}/nothing`, count: () => connections };
}

const CALLERS = 50;

test('while the database is away, one caller at a time connects, and the others are refused at once', async () => {
  const deadEnd = await startDeadEnd();
  const db = openDatabase({ url: deadEnd.url });
  onTestFinished(() => db.close());
  await expect(db.query('select 1')).rejects.toBeInstanceOf(DatabaseUnavailable);
  const before = deadEnd.count();
  const outcomes = await Promise.allSettled(Array.from({ length: CALLERS }, () => db.query('select 1')));
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  expect(deadEnd.count() - before).toBe(1);
});

test('control: a pool alone connects for every caller', async () => {
  const deadEnd = await startDeadEnd();
  const pool = new Pool({ connectionString: deadEnd.url });
  await Promise.allSettled(Array.from({ length: CALLERS }, () => pool.query('select 1')));
  expect(deadEnd.count()).toBe(CALLERS);
  await pool.end();
});
