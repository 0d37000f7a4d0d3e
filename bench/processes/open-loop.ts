import { monotonicMs } from '../../harness/measure/monotonic.ts';

/** Starts work at a fixed rate, independent of earlier work. Resolves when all of it has finished. */
export function atRate(
  ratePerSecond: number,
  count: number,
  start: (index: number, intendedAtMs: number) => Promise<void>,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const startedAtMs = monotonicMs();
    const started: Promise<void>[] = [];
    const tick = (): void => {
      const nowMs = monotonicMs();
      while (started.length < count) {
        const intendedAtMs = startedAtMs + (started.length * 1000) / ratePerSecond;
        // Sleeps until the next start is due: polling every millisecond would take CPU from the measured processes.
        if (intendedAtMs > nowMs) return void setTimeout(tick, Math.ceil(intendedAtMs - nowMs));
        const work = start(started.length, intendedAtMs);
        work.catch(reject);
        started.push(work);
      }
      Promise.all(started).then(resolve, reject);
    };
    tick();
  });
}
