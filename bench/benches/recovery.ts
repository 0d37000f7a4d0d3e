// Time to drain a backlog: from the start of a node until every due delivery is delivered and recorded.
import { withClient, type UndoList } from '../../harness/postgres/cluster.ts';
import { measureCpu, readCpuSeconds } from '../../harness/measure/cpu-time.ts';
import { Filler } from '../stage/fill.ts';
import { monotonicMs } from '../../harness/measure/monotonic.ts';
import type { Report } from '../report/report.ts';
import { openSite } from '../stage/stage.ts';
import { certificateNameOf, hostnamesOf, secretsOf, settleTown } from '../stage/town.ts';

export interface RecoveryOptions {
  undo: UndoList;
  repetitions: number;
  /** Number of due deliveries. */
  count: number;
}

const RESTAURANTS = 100;
const ARRIVAL_LIMIT_MS = 500_000;

export async function benchRecovery(report: Report, { undo, repetitions, count }: RecoveryOptions): Promise<void> {
  const site = await openSite({ undo, receiverNames: [certificateNameOf('healthy')] });
  const founder = await site.startNode({ roles: ['api'] });
  const town = await settleTown(founder.node, hostnamesOf('healthy', RESTAURANTS).map(site.webhookUrlAt));
  await founder.stop();

  await withClient(site.cluster.url, async (client) => {
    const filler = new Filler(client, repetitions * count);
    const restaurantIds = town.map(({ id }) => id);
    for (let repetition = 1; repetition <= repetitions; repetition += 1) {
      await filler.addWaiting(restaurantIds, count, { dueInSeconds: -60 });
      await client.query('vacuum analyze');
      await site.receiver.ask('expect', { ...secretsOf(town), count, keepsArrivals: false });
      const startedAtMs = monotonicMs();
      const { node, stop } = await site.startNode();
      const meters = { service: () => readCpuSeconds(node.pid), postgres: site.cluster.meter };
      const { result, cpu } = await measureCpu(meters, async () => {
        const reception = await site.receiver.ask('complete', ARRIVAL_LIMIT_MS);
        await node.ask('settle');
        return reception;
      });
      await stop();
      const seconds = (result.lastAtMs - startedAtMs) / 1000;
      report.add('recovery.time', 's', seconds);
      report.add('recovery.rate', 'webhooks/s', count / seconds);
      report.add('recovery.duplicates', 'webhooks', result.duplicates);
      report.addCpu('recovery', cpu, count);
    }
  });
}
