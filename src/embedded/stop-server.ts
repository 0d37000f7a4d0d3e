// Shuts a server down cleanly, and only if it is still the server of its cluster.
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../platform.ts';
import { EmbeddedPostgresError } from './system/failure.ts';
import type { ServerOwner } from './system/process-owner.ts';
import { findProcessStart, listServerProcesses } from './system/processes.ts';

interface Site {
  cluster: string;
  log: string;
  owner: ServerOwner;
}

const FAST_STOP_TIMEOUT_MS = 20_000;
const IMMEDIATE_STOP_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 20;

// PostgreSQL's shutdown modes: SIGINT is fast (ends sessions, writes a checkpoint), SIGQUIT is immediate (like a crash,
// from which the next start recovers).
export async function stopServer(site: Site, pid: number): Promise<void> {
  if (!(await endServer(site, pid, 'SIGINT')) && !(await endServer(site, pid, 'SIGQUIT'))) {
    throw new EmbeddedPostgresError(`The embedded PostgreSQL (process ${pid}) does not stop. See ${site.log}.`);
  }
}

async function endServer(site: Site, pid: number, signal: 'SIGINT' | 'SIGQUIT'): Promise<boolean> {
  const timeoutMs = signal === 'SIGINT' ? FAST_STOP_TIMEOUT_MS : IMMEDIATE_STOP_TIMEOUT_MS;
  const deadline = systemClock.monotonicMs() + timeoutMs;
  // Signals only a server of this cluster: if it died on its own, another process may have its pid by now.
  if (!(await listServerProcesses(site.cluster, site.owner)).includes(pid)) return true;
  const server = await findProcessStart(pid);
  process.kill(pid, signal);
  while (systemClock.monotonicMs() < deadline) {
    const found = await findProcessStart(pid);
    if (found === undefined || found !== server) return true;
    await pause(POLL_INTERVAL_MS);
  }
  return false;
}
