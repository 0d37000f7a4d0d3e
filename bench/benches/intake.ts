// Throughput and latency of durable order intake, compared with a Fastify server that only echoes the orders.
import { measureCpu, readCpuSeconds } from '../../harness/measure/cpu-time.ts';
import type { EchoCommands } from '../processes/echo-process.ts';
import type { LoadCommands } from '../processes/load-process.ts';
import { orderLoad } from '../processes/orders.ts';
import type { Report } from '../report/report.ts';
import type { Stage } from '../stage/stage.ts';
import { takeTurns } from '../../harness/measure/stolen-time.ts';

/** Simulates many tills with one connection each; the echo server gets the same number. */
const CONNECTIONS = 256;
const MAX_OPEN_CONNECTIONS = 256;
/** Share of the service's maximum rate: a load that it must sustain for hours. */
const OPEN_LOOP_SHARE = 0.5;
const WARM_UP_REPETITIONS = 3;

export async function benchIntake(
  stage: Stage,
  report: Report,
  options: { repetitions: number; seconds: number },
): Promise<void> {
  const { seconds } = options;
  const echo = stage.start<EchoCommands>('echo-process.ts');
  const generator = stage.start<LoadCommands>('load-process.ts');
  const echoAddress = await echo.ask('start');
  const manual = await stage.addRestaurant({ isAutoApproving: false });
  const approving = await stage.addRestaurant({ isAutoApproving: true });
  await stage.receiver.ask('expect', { secret: approving.secret, count: Infinity, keepsArrivals: false });
  const targets = {
    echo: orderLoad(echoAddress, manual),
    intake: orderLoad(stage.address, manual),
    'intake.auto_approve': orderLoad(stage.address, approving),
  };
  const serviceMeters = { ...stage.meters, generator: () => readCpuSeconds(generator.pid) };
  const echoMeters = { echo: () => readCpuSeconds(echo.pid), generator: serviceMeters.generator };

  const run = async (name: keyof typeof targets, forSeconds: number) => {
    const meters = name === 'echo' ? echoMeters : serviceMeters;
    const load = { ...targets[name], seconds: forSeconds, connections: CONNECTIONS };
    const measured = await measureCpu(meters, () => generator.ask('closed', load));
    await stage.settle();
    return measured;
  };
  const runOpen = (name: keyof typeof targets, ratePerSecond: number): Promise<Float64Array> =>
    generator.ask('open', { ...targets[name], seconds, ratePerSecond, maxConnections: MAX_OPEN_CONNECTIONS });
  const takeTurn = async () => {
    const closed = {
      echo: await run('echo', seconds),
      intake: await run('intake', seconds),
      'intake.auto_approve': await run('intake.auto_approve', seconds),
    };
    const openRate = closed.intake.result.ratePerSecond * OPEN_LOOP_SHARE;
    const open = { echo: await runOpen('echo', openRate), intake: await runOpen('intake', openRate) };
    return { closed, open, openRate };
  };
  // Warm-up: at first, much code is not compiled yet and the database touches most of its memory for the first time.
  for (const name of ['echo', 'intake', 'intake.auto_approve'] as const) await run(name, WARM_UP_REPETITIONS * seconds);
  for (const { closed, open, openRate } of await takeTurns(options.repetitions, takeTurn)) {
    for (const [name, { result, cpu }] of Object.entries(closed)) {
      report.add(`${name}.rate`, name === 'echo' ? 'requests/s' : 'orders/s', result.ratePerSecond);
      report.addCpu(name, cpu, result.answered);
    }
    report.add('intake.ratio', 'of echo', closed.intake.result.ratePerSecond / closed.echo.result.ratePerSecond);
    for (const [name, latenciesMs] of Object.entries(open)) report.addLatencies(name, latenciesMs, openRate * seconds);
  }
}
