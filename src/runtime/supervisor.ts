// Runs the service's workers until it is stopped. A worker that fails is restarted, and does not affect the others.
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../platform.ts';

export interface Worker {
  name: string;
  /** Works until the signal aborts, then resolves. */
  run(signal: AbortSignal): Promise<void>;
}

const RESTART_MS = 1_000;

export class Supervisor {
  #log: Log;
  #stop = new AbortController();
  #running: Promise<void>[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  start(workers: readonly Worker[]): void {
    this.#running.push(...workers.map((worker) => this.#keepRunning(worker)));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  async #keepRunning(worker: Worker): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await worker.run(signal);
      } catch (error) {
        this.#log.error({ event: 'worker.failed', worker: worker.name, reason: String(error) });
      }
      if (!signal.aborted) await delay(RESTART_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** A worker that repeats a small task; a failed round is logged and does not end it. */
export function everyMs(name: string, intervalMs: number, deps: { log: Log; round(): Promise<unknown> }): Worker {
  return {
    name,
    async run(signal) {
      while (!signal.aborted) {
        try {
          await deps.round();
        } catch (error) {
          deps.log.warn({ event: 'worker.round_failed', worker: name, reason: String(error) });
        }
        await delay(intervalMs, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}
