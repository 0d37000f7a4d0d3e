// Waits for a condition of the cluster, with a limit that says what was awaited.
import { setTimeout as pause } from 'node:timers/promises';

export class NotInTime extends Error {}

const POLL_MS = 50;

export async function until(what: string, limitMs: number, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endsAtMs = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > endsAtMs) throw new NotInTime(`Not within ${Math.round(limitMs / 1_000)} s: ${what}`);
    await pause(POLL_MS);
  }
}
