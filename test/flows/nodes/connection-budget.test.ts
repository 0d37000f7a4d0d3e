// A node at its limit: every pool of every process is full at the same time, on a real server that allows exactly that.
import { afterAll, expect, test } from 'vitest';
import { planConnections, type NodeShape } from '../../../src/nodes/connection-budget.ts';
import type { Database } from '../../../src/store/database/database.ts';
import { readConnectionLimits } from '../../../src/store/database/connection-limits.ts';
import { openPools, type PoolSizes } from '../../../src/store/database/pools.ts';
import { openSession } from '../../../src/store/database/dedicated-connection.ts';
import { clearAway, makeFolder, start } from '../../processes/embedded.ts';

const SHAPE: NodeShape = { shared: ['api', 'deliver'], workers: 4, apart: ['plan'] };
const MAX_CONNECTIONS = 60;

afterAll(() => clearAway({ keepPrepared: false }));

/** Opens every connection of these processes at the same time; returns why some could not be opened. */
async function fillAll(url: string, processes: readonly PoolSizes[]): Promise<string[]> {
  const opened = processes.map((sizes) => ({ sizes, pools: openPools({ url, sizes, onIdleError: () => undefined }) }));
  const { promise: allTried, resolve: release } = Promise.withResolvers<undefined>();
  const held: Promise<unknown>[] = [];
  const tries = opened.flatMap(({ sizes, pools: { intake, background, panel, metrics, planner, signIn } }) => {
    const fill = (database: Database, count: number) =>
      Array.from({ length: count }, () => {
        const { promise: isOpen, resolve, reject } = Promise.withResolvers<undefined>();
        held.push(database.transaction(() => (resolve(undefined), allTried)).catch(reject));
        return isOpen;
      });
    const listen = async (): Promise<void> => {
      const session = await openSession({ url, channels: [], onNotification: () => undefined });
      held.push(allTried.then(() => session.close()));
    };
    // A process that takes orders also probes commits.
    const sessions = sizes.intake > 0 ? [listen(), listen()] : [listen()];
    return [
      ...sessions,
      ...fill(intake, sizes.intake),
      ...fill(background, sizes.background),
      ...fill(panel, sizes.panel),
      ...fill(metrics, sizes.metrics),
      ...fill(planner, sizes.planner),
      ...Array.from({ length: sizes.signIn }, async () => {
        const client = await signIn.connect();
        held.push(allTried.then(() => client.release()));
      }),
    ];
  });
  const results = await Promise.allSettled(tries);
  release(undefined);
  await Promise.all(held);
  for (const { pools } of opened) await pools.close();
  return results.filter((result) => result.status === 'rejected').map(({ reason }) => String(reason));
}

test('all processes of a node can fill all their pools at once, and two more would exceed the limit', async () => {
  const server = await start(await makeFolder(), undefined, MAX_CONNECTIONS);
  const { available, maxConnections } = await readConnectionLimits(server.url);
  expect(maxConnections).toBe(MAX_CONNECTIONS);
  const plan = planConnections(SHAPE, available);
  if (!plan.ok) throw new Error('the server has room for the node');
  const { shared, apart } = plan.budget;
  const processes = [...Array.from({ length: SHAPE.workers }, () => shared), apart];
  expect(await fillAll(server.url, processes)).toEqual([]);
  const refusals = await fillAll(server.url, [...processes, shared, shared]);
  expect(refusals.length).toBeGreaterThan(0);
  expect(refusals[0]).toMatch(/too many clients|remaining connection slots/);
  await server.stop();
});
