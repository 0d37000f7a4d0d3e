// The same job on Waybill, pg-boss and graphile-worker: an order arrives over HTTP, is made durable, leaves as a signed
// webhook over HTTPS, and the attempt is recorded. All share one PostgreSQL, one receiver and one generator.
import { measureCpu, readCpuSeconds, type Meter } from '../../harness/measure/cpu-time.ts';
import type { Child } from '../processes/child.ts';
import type { GraphileCommands } from '../processes/graphile-process.ts';
import type { LoadCommands } from '../processes/load-process.ts';
import { orderLoad, type Load } from '../processes/orders.ts';
import type { PgBossCommands } from '../processes/pgboss-process.ts';
import type { Report } from '../report/report.ts';
import type { Stage } from '../stage/stage.ts';
import { summarize, type Latencies } from '../../harness/measure/statistics.ts';

export interface VersusOptions {
  repetitions: number;
  /** Number of orders in one throughput measurement. */
  count: number;
  /** Duration of one latency measurement. */
  seconds: number;
}

/** Simulates many tills with one connection each. */
const CONNECTIONS = 128;
/** A load that each system handles easily. */
const RATE_PER_SECOND = 100;
const ARRIVAL_LIMIT_MS = 110_000;

interface Contestant {
  load: Omit<Load, 'seconds'>;
  secret: string;
  meter: Meter;
  /** Resolves when every webhook is delivered and its attempt recorded. */
  settle(): Promise<void>;
}

export async function benchVersus(stage: Stage, report: Report, options: VersusOptions): Promise<void> {
  const { receiver } = stage;
  const generator = stage.start<LoadCommands>('load-process.ts');
  const contestants = {
    waybill: await enterWaybill(stage),
    pgboss: await enterRival(stage, 'pgboss', stage.start<PgBossCommands>('pgboss-process.ts')),
    graphile: await enterRival(stage, 'graphile', stage.start<GraphileCommands>('graphile-process.ts')),
  };
  const { postgres, receiver: receiverMeter } = stage.meters;
  const commonMeters = { postgres, receiver: receiverMeter, generator: () => readCpuSeconds(generator.pid) };
  type Name = keyof typeof contestants;
  const names: Name[] = ['waybill', 'pgboss', 'graphile'];

  const runFast = async ({ load, secret, meter, settle }: Contestant, count: number) => {
    await receiver.ask('expect', { secret, count, keepsArrivals: false });
    return measureCpu({ ...commonMeters, service: meter }, async () => {
      const [{ startedAtMs }, { lastAtMs }] = await Promise.all([
        generator.ask('counted', { ...load, connections: CONNECTIONS, count }),
        receiver.ask('complete', ARRIVAL_LIMIT_MS),
      ]);
      await settle();
      return (count * 1000) / (lastAtMs - startedAtMs);
    });
  };
  const runModest = async ({ load, secret, settle }: Contestant, seconds: number): Promise<Latencies> => {
    await receiver.ask('expect', { secret, count: RATE_PER_SECOND * seconds, keepsArrivals: true });
    const pace = { ratePerSecond: RATE_PER_SECOND, maxConnections: CONNECTIONS, seconds };
    const [sent, { arrivals }] = await Promise.all([
      generator.ask('openTraced', { ...load, ...pace }),
      receiver.ask('complete', ARRIVAL_LIMIT_MS),
    ]);
    await settle();
    const arrivedAtMs = new Map(arrivals);
    return summarize(
      Float64Array.from(sent, (one) => (arrivedAtMs.get(one.serviceOrderId) ?? Number.NaN) - one.intendedAtMs),
    );
  };

  for (const name of names) await runFast(contestants[name], Math.ceil(options.count / 4));
  for (let repetition = 1; repetition <= options.repetitions; repetition += 1) {
    const rates: Record<Name, number> = { waybill: 0, pgboss: 0, graphile: 0 };
    for (const name of names) {
      const { result, cpu } = await runFast(contestants[name], options.count);
      rates[name] = result;
      report.add(`versus.${name}.rate`, 'orders/s', result);
      const { service, postgres } = cpu.seconds;
      const seconds = service === undefined || postgres === undefined ? undefined : service + postgres;
      report.add(
        `versus.${name}.cpu`,
        'CPU-s/1000',
        seconds === undefined ? undefined : (seconds * 1000) / options.count,
      );
      report.addCpu(`versus.${name}`, cpu, options.count);
      const { p50Ms, p99Ms } = await runModest(contestants[name], options.seconds);
      report.add(`versus.${name}.p50`, 'ms', p50Ms);
      report.add(`versus.${name}.p99`, 'ms', p99Ms);
    }
    report.add('versus.pgboss.ratio', 'of pg-boss', rates.waybill / rates.pgboss);
    report.add('versus.graphile.ratio', 'of graphile', rates.waybill / rates.graphile);
  }
}

async function enterWaybill(stage: Stage): Promise<Contestant> {
  const { restaurantId, apiKey, secret } = await stage.addRestaurant({ isAutoApproving: true });
  return {
    load: orderLoad(stage.address, { restaurantId, apiKey }),
    secret,
    meter: stage.meters.service,
    settle: () => stage.settle(),
  };
}

async function enterRival(
  stage: Stage,
  database: string,
  rival: Child<PgBossCommands> | Child<GraphileCommands>,
): Promise<Contestant> {
  const secret = `secret of ${database}`;
  const { webhookUrl, caPem } = stage;
  const databaseUrl = await stage.cluster.addDatabase(database);
  const address = await rival.ask('start', { databaseUrl, webhookUrl, caPem, secret });
  return {
    load: orderLoad(address, { restaurantId: `restaurant-of-${database}` }),
    secret,
    meter: () => readCpuSeconds(rival.pid),
    settle: () => rival.ask('settle'),
  };
}
