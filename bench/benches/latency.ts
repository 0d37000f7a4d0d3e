// Latency from the commit of a transition to the webhook's arrival, at a load that leaves spare capacity.
import { measureCpu } from '../../harness/measure/cpu-time.ts';
import type { Report } from '../report/report.ts';
import type { Stage } from '../stage/stage.ts';
import { percentile } from '../../harness/measure/statistics.ts';

const RATE_PER_SECOND = 100;
const WARM_UP_SECONDS = 3;
const ARRIVAL_LIMIT_MS = 100_000;

export async function benchLatency(
  stage: Stage,
  report: Report,
  options: { repetitions: number; seconds: number },
): Promise<void> {
  const { receiver } = stage;
  const [node] = stage.nodes;
  const { restaurantId, secret } = await stage.addRestaurant({ isAutoApproving: false });
  const run = async (count: number) => {
    await node.ask('placeOrders', { restaurantId, count });
    await receiver.ask('expect', { secret, count, keepsArrivals: true });
    return measureCpu(stage.meters, async () => {
      const [commits, { arrivals }] = await Promise.all([
        node.ask('approveAtRate', { ratePerSecond: RATE_PER_SECOND, count }),
        receiver.ask('complete', ARRIVAL_LIMIT_MS),
      ]);
      return { commits, arrivedAtMs: new Map(arrivals) };
    });
  };

  await run(RATE_PER_SECOND * WARM_UP_SECONDS);
  for (let repetition = 1; repetition <= options.repetitions; repetition += 1) {
    const count = RATE_PER_SECOND * options.seconds;
    const { result, cpu } = await run(count);
    const since = (from: 'committedAtMs' | 'askedAtMs'): Float64Array =>
      Float64Array.from(
        result.commits,
        (commit) => (result.arrivedAtMs.get(commit.orderId) ?? Number.NaN) - commit[from],
      );
    const sinceCommit = since('committedAtMs');
    const sinceCommand = since('askedAtMs');
    report.add('latency.p50', 'ms', percentile(sinceCommit, 0.5));
    report.add('latency.p99', 'ms', percentile(sinceCommit, 0.99));
    report.add('latency.from_command.p50', 'ms', percentile(sinceCommand, 0.5));
    report.add('latency.from_command.p99', 'ms', percentile(sinceCommand, 0.99));
    report.addCpu('latency', cpu, count);
  }
}
