// The metrics that the service exports, with their labels: read from what a scrape of it returns.
import { createMetrics } from '../../src/http/metrics/metrics.ts';
import { systemClock } from '../../src/platform.ts';

/** Added by Prometheus to every metric that it scrapes. */
const OF_PROMETHEUS = ['job', 'instance'];

/** The names of the metrics, each with the names of its labels. */
export async function listExportedMetrics(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const metrics = createMetrics({
    clock: { ...systemClock, offsetMs: () => 0 },
    poolStats: () => [{ pool: 'intake', total: 1, idle: 1, waiting: 0 }],
    collect: async () => ({
      liveOrders: [],
      deliveries: { due: 0, late: 0, waiting: 0, held: 0 },
      failingEndpoints: 0,
      upkeep: {
        supportCases: { open: 0, contacted: 0 },
        mails: { queued: 0, refused: 0 },
        oldestMailSeconds: 0,
        differences: [],
        setAside: [],
        auditPass: { durationSeconds: 1, ageSeconds: 1 },
      },
    }),
  });
  metrics.observeRequest({ route: '/', status: 200, durationMs: 1 });
  metrics.observeAttempt({ endpoint: 'status', outcome: 'delivered', durationMs: 1 });
  metrics.observeTransition('NEW');
  const { body } = await metrics.render();
  const found = new Map([['up', new Set(OF_PROMETHEUS)]]);
  for (const [, name = '', labels = ''] of body.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = found.get(name) ?? new Set(OF_PROMETHEUS);
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    found.set(name, known);
  }
  return found;
}
