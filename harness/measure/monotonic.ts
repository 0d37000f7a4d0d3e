/**
 * Milliseconds on the machine's monotonic clock. On Linux all processes read the same one, so an instant noted by one
 * process can be compared with an instant noted by another; wall clocks are corrected while a bench runs.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
