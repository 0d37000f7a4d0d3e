// A server program in the background. Its output goes to a file, which names the reason if it does not start.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Owner } from './owner.ts';

export interface DaemonOptions {
  file: string;
  args: readonly string[];
  /** By default, the user who runs the rehearsal. */
  owner?: Owner;
  cwd: string;
  logFile: string;
  env?: Record<string, string>;
}

export interface Daemon {
  pid: number;
  readonly hasEnded: boolean;
  ended: Promise<unknown>;
  signal(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<void>;
}

// Settings of ours must not reach these programs, and libpq reads dozens.
const ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/sbin:/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC' };

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export function startDaemon({ file, args, owner, cwd, logFile, env }: DaemonOptions): Daemon {
  const log = openSync(logFile, 'a');
  const child = spawn(file, args, {
    cwd,
    env: { ...ENVIRONMENT, ...env },
    // Its own session: Ctrl-C in the terminal reaches only the rehearsal, which then ends everything in order.
    detached: true,
    stdio: ['ignore', log, log],
    ...owner,
  });
  closeSync(log);
  running.add(child);
  const ended = once(child, 'exit').then(() => running.delete(child));
  ended.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    get hasEnded() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    ended,
    signal: (signal) => void child.kill(signal),
    end: async (signal) => {
      child.kill(signal);
      await ended;
    },
  };
}
