// Further processes of the same node's program. Each is a node of its own on the same database; those that take requests
// share a port, and the system hands them connections in turn. One that dies is replaced, and all of them end with the one
// that started them.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AppConfig } from './app.ts';
import type { NodeRole } from './setting-values.ts';
import type { Worker } from './supervisor.ts';

export interface ProcessSetup {
  config: AppConfig;
  roles: readonly NodeRole[];
  databaseUrl: string;
  masterKeyBase64: string;
  /** Null: to standard output. */
  logFile: string | null;
}

const ENTRY = fileURLToPath(new URL('worker-entry.ts', import.meta.url));

export function createWorkerProcess(name: string, setup: ProcessSetup): Worker {
  return { name, run: (signal) => runProcess(setup, signal) };
}

async function runProcess(setup: ProcessSetup, signal: AbortSignal): Promise<void> {
  const child = fork(ENTRY, { stdio: 'inherit' });
  const ended = once(child, 'exit');
  // Its line being closed tells it to stop in order; it does the same when this process is gone.
  const stop = (): void => {
    if (child.connected) child.disconnect();
  };
  signal.addEventListener('abort', stop, { once: true });
  child.send(setup);
  await ended;
  signal.removeEventListener('abort', stop);
}
