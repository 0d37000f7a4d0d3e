import { expect, test } from 'vitest';
import { createMetrics, type MetricsDeps } from './metrics.ts';

type Reading = Awaited<ReturnType<MetricsDeps['collect']>>;

const READING: Reading = {
  liveOrders: [{ state: 'NEW', count: 3 }],
  deliveries: { due: 0, late: 0, waiting: 0, held: 0 },
  failingEndpoints: 0,
  upkeep: {
    supportCases: { open: 0, contacted: 0 },
    mails: { queued: 0, refused: 0 },
    oldestMailSeconds: 0,
    differences: [],
    auditPass: null,
    setAside: [],
  },
};

/** With a fixed clock, and readings that end only when the test resolves or rejects them. */
function createTestMetrics() {
  let nowMs = 0;
  const begun: { resolve(reading: Reading): void; reject(error: Error): void }[] = [];
  const metrics = createMetrics({
    clock: { now: () => nowMs, monotonicMs: () => nowMs },
    poolStats: () => [{ pool: 'intake', total: 4, idle: 1, waiting: 0 }],
    collect: () => new Promise((resolve, reject) => void begun.push({ resolve, reject })),
  });
  return { metrics, begun, pass: (ms: number) => (nowMs += ms) };
}

test('a hundred concurrent scrapes read the database once, and it is not read again for a few seconds', async () => {
  const { metrics, begun, pass } = createTestMetrics();
  const scrapes = Array.from({ length: 100 }, () => metrics.render());
  expect(begun).toHaveLength(1);
  pass(60_000);
  scrapes.push(metrics.render());
  expect(begun).toHaveLength(1);
  begun[0]?.resolve(READING);
  const bodies = new Set((await Promise.all(scrapes)).map(({ body }) => body));
  expect(bodies.size).toBe(1);
  expect([...bodies][0]).toMatch(/^waybill_orders\{state="NEW"\} 3$/m);
  expect([...bodies][0]).toMatch(/^waybill_database_connections\{pool="intake",state="total"\} 4$/m);
  pass(4_999);
  await metrics.render();
  expect(begun).toHaveLength(1);
  pass(1);
  const later = metrics.render();
  expect(begun).toHaveLength(2);
  begun[1]?.resolve(READING);
  await later;
});

test('an unavailable database is not queried more often than an available one', async () => {
  const { metrics, begun, pass } = createTestMetrics();
  const first = metrics.render();
  begun[0]?.reject(new Error('gone'));
  expect((await first).body).toMatch(/^waybill_database_up 0$/m);
  expect((await metrics.render()).body).toMatch(/^waybill_database_up 0$/m);
  expect(begun).toHaveLength(1);
  pass(5_000);
  const second = metrics.render();
  begun[1]?.resolve(READING);
  expect((await second).body).toMatch(/^waybill_database_up 1$/m);
});
