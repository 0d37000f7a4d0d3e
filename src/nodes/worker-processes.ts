// Additional processes of a node. Each registers as a separate node on the same database. Those that serve requests
// share a port, and the system distributes connections among them. A process that dies is replaced, and all of them end
// with their parent.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Config } from '../settings/config.ts';
import type { CountedMetrics } from '../http/metrics/metrics.ts';
import { ProcessChannel } from './process-channel.ts';
import type { NodeRole } from '../settings/parsers.ts';
import type { PoolSizes } from '../store/database/pools.ts';
import type { Worker } from '../runtime/supervisor.ts';

export interface ProcessSetup {
  /** The key is sent beside it, as text: messages are JSON. */
  config: Config & { masterKey: null };
  roles: readonly NodeRole[];
  databaseUrl: string;
  connections: PoolSizes;
  masterKeyBase64: string;
  /** Null: to standard output. */
  logFile: string | null;
}

/** TypeScript in a checkout, JavaScript in the package. */
const ENTRY = path.join(import.meta.dirname, '..', `worker-entry${path.extname(import.meta.filename)}`);

export class WorkerProcesses {
  readonly #countOwn: () => Promise<CountedMetrics>;
  /** Channels to the running processes. */
  readonly #channels = new Set<ProcessChannel>();
  #isDraining = false;

  /** `countOwn` returns the metrics of this process, which starts the others. */
  constructor(countOwn: () => Promise<CountedMetrics>) {
    this.#countOwn = countOwn;
  }

  /** The metrics of all processes, optionally except one. */
  async count(except?: ProcessChannel): Promise<CountedMetrics[]> {
    const asked = [...this.#channels].filter((channel) => channel !== except);
    return (await Promise.all(asked.map((channel) => channel.ask()))).flat();
  }

  /** The processes serve as before, but are no longer ready; one that dies is not replaced. */
  beginDraining(): void {
    this.#isDraining = true;
    for (const channel of this.#channels) channel.announceDraining();
  }

  /** Supervised like any other worker. */
  create(name: string, setup: ProcessSetup): Worker {
    return { name, run: (signal) => this.#run(setup, signal) };
  }

  async #run(setup: ProcessSetup, signal: AbortSignal): Promise<void> {
    if (this.#isDraining) return;
    const child = fork(ENTRY, { stdio: 'inherit' });
    const ended = once(child, 'exit');
    // Closing its channel makes the process stop in order; the same happens if this process dies.
    const stop = (): void => {
      if (child.connected) child.disconnect();
    };
    signal.addEventListener('abort', stop, { once: true });
    child.send(setup);
    const channel: ProcessChannel = new ProcessChannel(child, async () => [
      await this.#countOwn(),
      ...(await this.count(channel)),
    ]);
    this.#channels.add(channel);
    await ended.finally(() => this.#channels.delete(channel));
    signal.removeEventListener('abort', stop);
  }
}
