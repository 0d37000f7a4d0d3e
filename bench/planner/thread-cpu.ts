/**
 * CPU time of this thread in milliseconds. Limits use it, so that figures reflect the planner's speed and do not
 * depend on the machine's load. On an idle machine it equals elapsed time.
 */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
