/**
 * Milliseconds on the machine's monotonic clock. On Linux all processes share it, so their timestamps are comparable.
 * Wall-clock timestamps are not: the wall clock may be adjusted during a bench.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
