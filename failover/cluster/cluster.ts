// Three members of PostgreSQL under Patroni, its etcd, and HAProxy in front of whichever member is the primary.
import { rmSync } from 'node:fs';
import { mkdtemp, rm, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { mountSmallDisk } from '../../harness/machine/small-disk.ts';
import { startDatabaseBalancer, type Balancer } from './balancers.ts';
import { startDaemon, type Daemon } from './daemon.ts';
import { Member } from './member.ts';
import { findOwner, makeOwnFolder, type Owner } from './owner.ts';
import type { Programs } from './packages.ts';
import { findFreePorts } from './ports.ts';
import { until } from './until.ts';

const MEMBERS = ['one', 'two', 'three'];
/** A pg_rewind or a new copy, and a start with recovery, on a busy machine. */
const WHOLE = { limitMs: 120_000, pollMs: 300 };
/** How exactly the time of detection is known. */
const NAMED = { limitMs: 120_000, pollMs: 50 };
const ETCD_START = { limitMs: 30_000, pollMs: 50 };
const REST_PATIENCE_MS = 1_000;
/** A server that is ending may still write. */
const REMOVAL = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 };

/** Of the disk for a member's write-ahead log. Each keeps at most half of it. */
const LOG_DISK_SIZE = '512m';

export interface ClusterOptions {
  programs: Programs;
  /** Whether the write-ahead logs are on small disks of their own. */
  hasLogDisks: boolean;
}

export class Cluster {
  readonly folder: string;
  readonly programs: Programs;
  readonly members: readonly Member[];
  readonly #etcd: Daemon;
  readonly #balancer: Balancer;

  private constructor(made: Pick<Cluster, 'folder' | 'programs' | 'members'>, etcd: Daemon, balancer: Balancer) {
    this.folder = made.folder;
    this.programs = made.programs;
    this.members = made.members;
    this.#etcd = etcd;
    this.#balancer = balancer;
  }

  static async start({ programs, hasLogDisks }: ClusterOptions): Promise<Cluster> {
    const folder = await mkdtemp(path.join(tmpdir(), 'waybill-failover-'));
    // Members enter their own folders, which only they can read.
    await chmod(folder, 0o755);
    const owner = findOwner();
    const [clientPort = 0, peerPort = 0, balancerPort = 0, ...memberPorts] = await findFreePorts(
      3 + 2 * MEMBERS.length,
    );
    const members: Member[] = [];
    // For an interrupted run. In this order, because a server is found through a file in its folder.
    process.once('exit', () => {
      for (const member of members) member.endAtOnce();
      rmSync(folder, REMOVAL);
    });
    const etcd = await startEtcd({ folder, programs, owner, clientPort, peerPort });
    for (const [index, name] of MEMBERS.entries()) {
      const [port = 0, restPort = 0] = memberPorts.slice(2 * index);
      const own = await makeOwnFolder(path.join(folder, name), owner);
      const logDisk = hasLogDisks
        ? await mountSmallDisk(path.join(folder, `${name}-log`), { size: LOG_DISK_SIZE, owner })
        : 'not selected';
      const place = { name, folder: own, port, restPort };
      members.push(await Member.prepare({ ...place, etcdPort: clientPort, programs, logDisk }));
    }
    const places = members.map(({ place }) => place);
    const balancer = await startDatabaseBalancer({ folder, programs }, { port: balancerPort, members: places });
    const cluster = new Cluster({ folder, programs, members }, etcd, balancer);
    for (const member of members) member.startPatroni();
    await cluster.waitUntilWhole();
    return cluster;
  }

  /** Through HAProxy. */
  urlOf(database: string): string {
    return `postgresql://postgres@127.0.0.1:${this.#balancer.port}/${database}`;
  }

  /** Names all members; the node finds the primary itself. */
  urlOfAll(database: string): string {
    const places = this.members.map(({ place }) => `127.0.0.1:${place.port}`);
    return `postgresql://postgres@${places.join()}/${database}?target_session_attrs=read-write`;
  }

  /** The member that Patroni names as the primary. */
  async findPrimary(): Promise<Member | undefined> {
    const found = await Promise.all(this.members.map(isPrimary));
    return this.members[found.indexOf(true)];
  }

  async getPrimary(): Promise<Member> {
    const primary = await this.findPrimary();
    if (primary === undefined) throw new Error('The cluster has no primary');
    return primary;
  }

  /** Resolves once Patroni names another member than this one. */
  async waitForAnotherPrimary(than: Member): Promise<Member> {
    let found: Member | undefined;
    const others = this.members.filter((member) => member !== than);
    await until(`Patroni names another primary than ${than.name}`, NAMED, async () => {
      const named = await Promise.all(others.map(isPrimary));
      found = others[named.indexOf(true)];
      return found !== undefined;
    });
    return found ?? than;
  }

  /** The one that Patroni may promote: it has everything that was acknowledged. */
  async findSynchronousStandby(): Promise<Member | undefined> {
    const primary = await this.findPrimary();
    if (primary === undefined) return undefined;
    const answer = await fetch(`http://127.0.0.1:${primary.place.restPort}/cluster`);
    const { members } = (await answer.json()) as { members: { name: string; role: string }[] };
    const name = members.find(({ role }) => role === 'sync_standby')?.name;
    return this.members.find((member) => member.name === name);
  }

  async getSynchronousStandby(): Promise<Member> {
    const standby = await this.findSynchronousStandby();
    if (standby === undefined) throw new Error('The cluster has no synchronous standby');
    return standby;
  }

  /** A primary, and two standbys that stream, one of them synchronous. */
  async waitUntilWhole(): Promise<void> {
    let seen = '';
    try {
      await until('the cluster is whole', WHOLE, async () => {
        const standbys = await this.#listStandbys().catch((error: unknown) => {
          seen = String(error);
          return [];
        });
        seen = JSON.stringify(standbys);
        const streaming = standbys.filter(({ state }) => state === 'streaming');
        if (streaming.length < this.members.length - 1) return false;
        // Patroni names it after PostgreSQL does.
        const named = await this.findSynchronousStandby();
        return streaming.some((one) => one.application_name === named?.name && one.sync_state === 'sync');
      });
    } catch (error) {
      throw new Error(`The cluster was not whole again in time; standbys: ${seen}. See ${this.folder}`, {
        cause: error,
      });
    }
  }

  async #listStandbys(): Promise<{ application_name: string; state: string; sync_state: string }[]> {
    const primary = await this.findPrimary();
    if (primary === undefined) return [];
    return queryMember(
      primary,
      `select application_name, state, sync_state from pg_stat_replication where application_name = any($1)`,
      [MEMBERS],
    );
  }

  /** Planned: the primary stops in order, and the candidate is promoted. */
  async switchOver(from: Member, to: Member): Promise<void> {
    const answer = await fetch(`http://127.0.0.1:${from.place.restPort}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: from.name, candidate: to.name }),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`No switchover: ${answer.status} ${text}`);
  }

  async stop(): Promise<void> {
    await this.#balancer.stop();
    for (const member of this.members) await member.stop();
    await this.#etcd.end('SIGKILL');
    await rm(this.folder, REMOVAL);
  }
}

/** One statement on a member itself, not through HAProxy. */
export async function queryMember<Row extends object>(
  member: Member,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({
    connectionString: `postgresql://postgres@127.0.0.1:${member.place.port}/postgres`,
    connectionTimeoutMillis: 2_000,
    query_timeout: 2_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function isPrimary({ place }: Member): Promise<boolean> {
  return fetch(`http://127.0.0.1:${place.restPort}/primary`, { signal: AbortSignal.timeout(REST_PATIENCE_MS) }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status === 200;
    },
    () => false,
  );
}

interface EtcdOptions {
  folder: string;
  programs: Programs;
  owner: Owner;
  clientPort: number;
  peerPort: number;
}

async function startEtcd({ folder, programs, owner, clientPort, peerPort }: EtcdOptions): Promise<Daemon> {
  const own = await makeOwnFolder(path.join(folder, 'etcd'), owner);
  const [client, peer] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`];
  const settings = {
    name: 'etcd',
    'data-dir': path.join(own, 'data'),
    'enable-v2': 'true',
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `etcd=${peer}`,
  };
  const daemon = startDaemon({
    file: programs.etcd,
    args: Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
    owner,
    cwd: own,
    logFile: path.join(own, 'etcd.log'),
  });
  await until(`etcd (${own}) answers`, ETCD_START, async () => {
    if (daemon.hasEnded) throw new Error(`etcd ended, see ${own}/etcd.log`);
    return fetch(`${client}/health`).then(
      (answer) => answer.ok,
      () => false,
    );
  });
  return daemon;
}
