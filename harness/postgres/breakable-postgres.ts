// The PostgreSQL of a run, with methods that inject faults.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { findServerOwner } from '../../src/embedded/system/process-owner.ts';
import { listServerProcesses } from '../../src/embedded/system/processes.ts';

export class Postgres {
  #dataDir: string;
  #server: EmbeddedPostgres;

  private constructor(dataDir: string, server: EmbeddedPostgres) {
    this.#dataDir = dataDir;
    this.#server = server;
    process.once('exit', this.#end);
  }

  static async start(dataDir: string): Promise<Postgres> {
    return new Postgres(dataDir, await startServer(dataDir));
  }

  get url(): string {
    return this.#server.url;
  }

  /** The server's Unix socket, for a proxy in front of it. */
  get socket(): { folder: string; file: string } {
    const { searchParams } = new URL(this.url);
    return { folder: searchParams.get('host') ?? '', file: `.s.PGSQL.${searchParams.get('port') ?? '5432'}` };
  }

  kill(): void {
    process.kill(this.#readPid(), 'SIGKILL');
  }

  /** Works after a kill or a crash; adopts the server if it is still running. */
  async startAgain(): Promise<void> {
    this.#server = await startServer(this.#dataDir);
  }

  async signalAll(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const owner = await findServerOwner(this.#dataDir);
    for (const pid of await listServerProcesses(path.join(this.#dataDir, 'postgres'), owner)) {
      try {
        process.kill(pid, signal);
      } catch {
        // The process ended after it was listed.
      }
    }
  }

  async stop(): Promise<void> {
    process.removeListener('exit', this.#end);
    await this.#server.stop();
  }

  #readPid(): number {
    const [pid = ''] = readFileSync(path.join(this.#dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
    return Number(pid);
  }

  /** For an interrupted run: the server would otherwise keep running. */
  #end = (): void => {
    try {
      process.kill(this.#readPid(), 'SIGQUIT');
    } catch {
      // It is not running.
    }
  };
}

function startServer(dataDir: string): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir, onProgress: () => {} });
}
