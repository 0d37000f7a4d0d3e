/**
 * Milliseconds of processor time of this thread. Limits are counted in it, so that a figure says what the planner can do
 * and not how busy the machine was; on a quiet machine it is the time on the clock.
 */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
