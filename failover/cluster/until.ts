// Waits for a condition of the cluster, with a limit that says what was awaited.
import { setTimeout as pause } from 'node:timers/promises';

class NotInTime extends Error {}

export interface Patience {
  limitMs: number;
  /** Small where the moment is measured, larger where asking costs the machine something. */
  pollMs: number;
}

export async function until(
  what: string,
  { limitMs, pollMs }: Patience,
  isSo: () => boolean | Promise<boolean>,
): Promise<void> {
  const endsAtMs = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > endsAtMs) throw new NotInTime(`Not within ${Math.round(limitMs / 1_000)} s: ${what}`);
    await pause(pollMs);
  }
}
