import { monotonicMs } from '../../harness/measure/monotonic.ts';

/** Starts work at a fixed rate, whatever becomes of what was started before. Resolves when all of it has ended. */
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
        // Not every millisecond: to look at the clock in vain costs a processor that the measured need.
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
