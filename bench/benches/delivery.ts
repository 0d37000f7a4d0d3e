// Signed webhooks per second for committed transitions, compared with a loop that only posts them.
import { MAX_CONCURRENT } from '../../src/webhooks/queue/endpoint-queue.ts';
import { measureCpu, readCpuSeconds } from '../../harness/measure/cpu-time.ts';
import type { LoopCommands } from '../processes/loop-process.ts';
import type { Report } from '../report/report.ts';
import type { Stage } from '../stage/stage.ts';
import { takeTurns } from '../../harness/measure/stolen-time.ts';

const COMMANDS_AT_ONCE = 256;
const WARM_UP_REPETITIONS = 3;
const ARRIVAL_LIMIT_MS = 100_000;

export async function benchDelivery(
  stage: Stage,
  report: Report,
  options: { repetitions: number; count: number },
): Promise<void> {
  const { receiver, nodes } = stage;
  const loop = stage.start<LoopCommands>('loop-process.ts');
  const { restaurantId, secret } = await stage.addRestaurant({ isAutoApproving: false });

  const runLoop = async (count: number) => {
    await receiver.ask('expect', { secret, count, keepsArrivals: false });
    const work = { url: stage.webhookUrl, caPem: stage.caPem, secret, count, connections: MAX_CONCURRENT };
    const meters = { loop: () => readCpuSeconds(loop.pid), receiver: stage.meters.receiver };
    return measureCpu(meters, async () => {
      const [{ startedAtMs }, { lastAtMs }] = await Promise.all([
        loop.ask('run', work),
        receiver.ask('complete', ARRIVAL_LIMIT_MS),
      ]);
      return { ratePerSecond: (count * 1000) / (lastAtMs - startedAtMs) };
    });
  };
  const runService = async (count: number) => {
    const share = count / nodes.length;
    await Promise.all(nodes.map((node) => node.ask('placeOrders', { restaurantId, count: share })));
    await receiver.ask('expect', { secret, count, keepsArrivals: false });
    return measureCpu(stage.meters, async () => {
      const [spans, { lastAtMs, duplicates }] = await Promise.all([
        Promise.all(nodes.map((node) => node.ask('approveAll', COMMANDS_AT_ONCE / nodes.length))),
        receiver.ask('complete', ARRIVAL_LIMIT_MS),
      ]);
      const startedAtMs = Math.min(...spans.map((span) => span.startedAtMs));
      const endedAtMs = Math.max(...spans.map((span) => span.endedAtMs));
      await stage.settle();
      return {
        ratePerSecond: (count * 1000) / (lastAtMs - startedAtMs),
        commitsPerSecond: (count * 1000) / (endedAtMs - startedAtMs),
        duplicates,
      };
    });
  };

  // Warm-up: at first, much code is not compiled yet and the database touches most of its memory for the first time.
  await runLoop(WARM_UP_REPETITIONS * options.count);
  await runService(WARM_UP_REPETITIONS * options.count);
  const turns = await takeTurns(options.repetitions, async () => ({
    bare: await runLoop(options.count),
    service: await runService(options.count),
  }));
  for (const { bare, service } of turns) {
    report.add('delivery.ratio', 'of loop', service.result.ratePerSecond / bare.result.ratePerSecond);
    report.add('delivery.rate', 'webhooks/s', service.result.ratePerSecond);
    report.add('loop.rate', 'webhooks/s', bare.result.ratePerSecond);
    report.add('delivery.commits.rate', 'transitions/s', service.result.commitsPerSecond);
    report.add('delivery.duplicates', 'webhooks', service.result.duplicates);
    report.addCpu('delivery', service.cpu, options.count);
    report.addCpu('loop', bare.cpu, options.count);
  }
}
