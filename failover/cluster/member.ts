// One member of the PostgreSQL cluster: a Patroni process, the server that it controls, and a proxy for what replicates
// from it.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findServerOwner, type ServerOwner } from '../../src/embedded/system/process-owner.ts';
import { listServerProcesses } from '../../src/embedded/system/processes.ts';
import type { SmallDisk } from '../../harness/machine/small-disk.ts';
import { startFaultProxy, type FaultProxy } from '../../harness/network/connection-proxy.ts';
import { startDaemon, type Daemon } from './daemon.ts';
import type { Programs } from './packages.ts';
import { writePatroniConfig, type MemberPlace } from './patroni-config.ts';

export interface MemberOptions {
  name: string;
  folder: string;
  port: number;
  restPort: number;
  etcdPort: number;
  programs: Programs;
  logDisk: SmallDisk | string;
}

export class Member {
  readonly place: MemberPlace;
  /** What others replicate through. */
  readonly link: FaultProxy;
  /** Holds the write-ahead log; a string is the reason why there is none. */
  readonly logDisk: SmallDisk | string;
  readonly #programs: Programs;
  readonly #owner: ServerOwner;
  #patroni: Daemon | undefined;

  private constructor(
    made: Pick<Member, 'place' | 'link' | 'logDisk'>,
    more: { programs: Programs; owner: ServerOwner },
  ) {
    this.place = made.place;
    this.link = made.link;
    this.logDisk = made.logDisk;
    this.#programs = more.programs;
    this.#owner = more.owner;
  }

  static async prepare({ programs, etcdPort, logDisk, ...options }: MemberOptions): Promise<Member> {
    const { port, folder } = options;
    const listen = { host: '127.0.0.1', port: 0 };
    const link = await startFaultProxy({ listen, findTarget: () => ({ host: '127.0.0.1', port }) });
    const logFolder = typeof logDisk === 'string' ? undefined : path.join(logDisk.folder, 'wal');
    const place = { ...options, linkPort: link.port, logFolder };
    await writeFile(
      path.join(folder, 'patroni.yml'),
      writePatroniConfig({ place, etcdPort, postgresFolder: programs.postgres }),
    );
    return new Member({ place, link, logDisk }, { programs, owner: await findServerOwner(folder) });
  }

  get name(): string {
    return this.place.name;
  }

  /** Works after a kill, too: Patroni starts the server and makes it follow the primary. */
  startPatroni(): void {
    const { folder } = this.place;
    const { uid, gid } = this.#owner;
    this.#patroni = startDaemon({
      file: this.#programs.patroni,
      args: [path.join(folder, 'patroni.yml')],
      owner: { uid, gid },
      cwd: folder,
      logFile: path.join(folder, 'patroni.log'),
    });
  }

  /** The server alone; Patroni notices and acts. */
  killServer(): void {
    const pid = this.#readPid();
    if (pid !== undefined) send(pid, 'SIGKILL');
  }

  /** As if the host lost its power. */
  async killHost(): Promise<void> {
    await this.#patroni?.end('SIGKILL');
    await this.#signalServer('SIGKILL');
  }

  /** As if the host were suspended. */
  async freezeHost(): Promise<void> {
    this.#patroni?.signal('SIGSTOP');
    await this.#signalServer('SIGSTOP');
  }

  async thawHost(): Promise<void> {
    await this.#signalServer('SIGCONT');
    this.#patroni?.signal('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.killHost();
    await this.link.close();
    if (typeof this.logDisk !== 'string') this.logDisk.unmount();
  }

  /** For the exit of this process, which cannot await anything. Returns when the server has ended, or after a limit. */
  endAtOnce(): void {
    this.#patroni?.signal('SIGKILL');
    const pid = this.#readPid();
    if (pid !== undefined) endServer(pid);
    if (typeof this.logDisk !== 'string') this.logDisk.unmount();
  }

  async #signalServer(signal: NodeJS.Signals): Promise<void> {
    // Children that were started while the list was read are found the second time.
    for (let round = 0; round < 2; round += 1) {
      for (const pid of await listServerProcesses(this.#dataFolder, this.#owner)) send(pid, signal);
    }
  }

  get #dataFolder(): string {
    return path.join(this.place.folder, 'data');
  }

  #readPid(): number | undefined {
    try {
      const [pid = ''] = readFileSync(path.join(this.#dataFolder, 'postmaster.pid'), 'utf8').split('\n');
      return Number(pid);
    } catch {
      return undefined;
    }
  }
}

const END_LIMIT_MS = 3_000;
const END_POLL_MS = 20;

function endServer(pid: number): void {
  for (const signal of ['SIGCONT', 'SIGQUIT'] as const) send(pid, signal);
  // While it ends, it writes to the folder that is removed next.
  for (let waitedMs = 0; waitedMs < END_LIMIT_MS && isAlive(pid); waitedMs += END_POLL_MS) blockFor(END_POLL_MS);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process ended after it was listed.
  }
}
