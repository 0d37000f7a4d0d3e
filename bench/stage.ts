// Everything a bench runs against: a database of its own, a node, a receiver and the yardsticks, each a process of
// its own, on loopback, gone when the bench is over.
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '../src/embedded/postgres.ts';
import { createAuthority, issueServerCertificate } from '../src/robots/certificates.ts';
import { migrate } from '../src/store/migrate.ts';
import { startChild, type Child } from './child.ts';
import { readCpuSeconds, readTreeCpuSeconds, type Meter } from './cpu-time.ts';
import type { BenchRestaurant, NodeCommands } from './node-process.ts';
import type { Commands } from './commands.ts';
import type { ReceiverCommands } from './receiver-process.ts';

export interface Stage {
  databaseUrl: string;
  node: Child<NodeCommands>;
  /** Of the node. */
  address: string;
  receiver: Child<ReceiverCommands>;
  webhookUrl: string;
  caPem: string;
  /** Starts a further process that ends with the stage. */
  start<Known extends Commands>(file: string): Child<Known>;
  addRestaurant(wanted: { isAutoApproving: boolean }): Promise<BenchRestaurant>;
  meters: { service: Meter; postgres: Meter; receiver: Meter };
}

export interface StageOptions {
  /** Of the node. */
  profileFolder?: string | undefined;
  /** Where each thing that must be undone is put, as soon as it must. */
  undo: (() => Promise<unknown>)[];
}

export async function openStage({ profileFolder, undo }: StageOptions): Promise<Stage> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-bench-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  // Open for passing through: started by root, the database runs as somebody else.
  if (process.getuid?.() === 0) await chmod(folder, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, onProgress: () => {} });
  undo.push(() => postgres.stop());
  await migrate(postgres.url);
  const postmaster = Number((await readFile(path.join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);

  const authority = await createAuthority('Waybill bench authority', { now: Date.now() });
  const caPem = authority.certificatePem;
  const { chainPem, privateKeyPem } = await issueServerCertificate(authority, {
    names: ['localhost'],
    now: Date.now(),
  });
  const start = <Known extends Commands>(file: string): Child<Known> => {
    const child = startChild<Known>(file);
    undo.push(() => child.stop());
    return child;
  };
  const receiver = start<ReceiverCommands>('receiver-process.ts');
  const webhookUrl = `https://localhost:${await receiver.ask('start', { chainPem, privateKeyPem })}/webhooks/status`;

  const node = startChild<NodeCommands>('node-process.ts', { profileFolder });
  undo.push(() => node.stop());
  const address = await node.ask('start', {
    databaseUrl: postgres.url,
    masterKey: randomBytes(32).toString('hex'),
    caPem,
    logFile: path.join(folder, 'waybill.log'),
  });
  undo.push(() => node.ask('stop').catch(() => undefined));
  return {
    databaseUrl: postgres.url,
    node,
    address,
    receiver,
    webhookUrl,
    caPem,
    start,
    addRestaurant: (wanted) => node.ask('addRestaurant', { ...wanted, webhookUrl }),
    meters: {
      service: () => readCpuSeconds(node.pid),
      postgres: () => readTreeCpuSeconds(postmaster),
      receiver: () => readCpuSeconds(receiver.pid),
    },
  };
}
