// On a busy machine, a process waits for a processor, which says nothing about the process itself.
import { readFileSync } from 'node:fs';

/** How long the main thread of a process has waited for a processor since it started; see proc_pid_schedstat(5). */
export function readQueuedMs(pid: number): number {
  try {
    const [, queuedNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(queuedNs) / 1e6;
  } catch {
    // Not every system counts it; none is then assumed.
    return 0;
  }
}
