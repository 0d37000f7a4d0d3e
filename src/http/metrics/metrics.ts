// `/metrics` for Prometheus. Each process of the node observes durations as they happen; a scrape adds them up.
// Figures from the database are read at most every few seconds and shared, so concurrent scrapes cost the database no
// more than one.
import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { isFinal, STATES, type OrderState } from '../../domain/orders/order.ts';
import type { Clock } from '../../platform.ts';
import type { Gauges } from '../../store/upkeep/gauges.ts';
import type { Pools } from '../../store/database/pools.ts';
import type { UpkeepGauges } from '../../store/upkeep/upkeep-gauges.ts';
import { createUpkeepMetrics } from './upkeep.ts';

export interface Metrics {
  observeRequest(request: { route: string; status: number; durationMs: number }): void;
  observeAttempt(attempt: { endpoint: string; outcome: 'delivered' | 'failed'; durationMs: number }): void;
  observeTransition(to: OrderState): void;
  /** What this process has observed. */
  count(): Promise<CountedMetrics>;
  render(): Promise<{ contentType: string; body: string }>;
}

/** Plain data, so that it passes between processes. */
export type CountedMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

interface MetricsReading extends Gauges {
  upkeep: UpkeepGauges;
}

export interface MetricsDeps {
  clock: Clock;
  collect(): Promise<MetricsReading>;
  poolStats: Pools['stats'];
  /** Counted by the other processes of this node, if there are any. */
  countOthers?(): Promise<CountedMetrics[]>;
}

/** Usually shorter than the interval between two scrapes. */
const READING_KEPT_MS = 5_000;

const LATENCY_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(deps: MetricsDeps): Metrics {
  const registry = new Registry();
  // Includes event loop lag, from the runtime's own histogram. These metrics describe only the answering process.
  collectDefaultMetrics({ register: registry });
  const counted = new Registry();
  const requests = new Histogram({
    name: 'waybill_http_request_seconds',
    help: 'Duration of HTTP requests, from the request head to the end of the response.',
    labelNames: ['route', 'status'],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers: [counted],
  });
  const attempts = new Histogram({
    name: 'waybill_attempt_seconds',
    help: 'Duration of webhook attempts.',
    labelNames: ['endpoint', 'outcome'],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers: [counted],
  });
  const transitions = new Counter({
    name: 'waybill_order_transitions_total',
    help: 'State changes of orders, by the state entered.',
    labelNames: ['to'],
    registers: [counted],
  });
  const present = createPresent(registry);
  const read = keepReading(deps);
  async function render(): Promise<{ contentType: string; body: string }> {
    for (const { pool, ...counts } of deps.poolStats()) {
      for (const [state, count] of Object.entries(counts)) present.connections.set({ pool, state }, count);
    }
    const offsetMs = deps.clock.offsetMs?.() ?? null;
    if (offsetMs !== null) present.clockOffset.set(offsetMs / 1_000);
    const [own, others, reading] = await Promise.all([counted.getMetricsAsJSON(), deps.countOthers?.() ?? [], read()]);
    showPresent(present, reading);
    const all = AggregatorRegistry.aggregate([own, ...others]);
    return { contentType: registry.contentType, body: `${await registry.metrics()}\n${await all.metrics()}` };
  }
  let rendering: ReturnType<typeof render> | undefined;
  return {
    observeRequest: ({ route, status, durationMs }) => requests.observe({ route, status }, durationMs / 1_000),
    observeAttempt: ({ endpoint, outcome, durationMs }) => attempts.observe({ endpoint, outcome }, durationMs / 1_000),
    observeTransition: (to) => transitions.inc({ to }),
    count: () => counted.getMetricsAsJSON(),
    render: () => (rendering ??= render().finally(() => (rendering = undefined))),
  };
}

/** One reading at a time, cached for a while; null if the database did not answer. */
function keepReading({ clock, ...deps }: MetricsDeps): () => Promise<MetricsReading | null> {
  let kept: Promise<MetricsReading | null> | undefined;
  let keptUntilMs = -Infinity;
  return () => {
    if (kept !== undefined && clock.monotonicMs() < keptUntilMs) return kept;
    keptUntilMs = Infinity;
    kept = deps
      .collect()
      .catch(() => null)
      .finally(() => (keptUntilMs = clock.monotonicMs() + READING_KEPT_MS));
    return kept;
  };
}

type Present = ReturnType<typeof createPresent>;

function createPresent(registry: Registry) {
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []): Gauge<Label> =>
    new Gauge({ name: `waybill_${name}`, help, labelNames, registers: [registry] });
  return {
    connections: gauge('database_connections', 'Connections of each pool, and requests waiting for one.', [
      'pool',
      'state',
    ]),
    clockOffset: gauge(
      'clock_offset_seconds',
      "Offset of this machine's clock from the database's clock; positive if ahead.",
    ),
    databaseUp: gauge('database_up', '1 if the database responded. If not, the values from the database are absent.'),
    orders: gauge('orders', 'Orders that are not final, by state.', ['state']),
    deliveries: gauge('deliveries', 'Webhooks not delivered yet: due, late (part of due), waiting for a retry, held.', [
      'state',
    ]),
    failingEndpoints: gauge('failing_endpoints', 'Endpoints that have failed since their last success.'),
    upkeep: createUpkeepMetrics(registry),
  };
}

function showPresent(present: Present, reading: MetricsReading | null): void {
  if (reading === null) {
    present.databaseUp.set(0);
    // No figure is better than a stale one. `reset` empties gauges with labels; the others need `remove`.
    for (const gauge of [present.orders, present.deliveries]) gauge.reset();
    present.failingEndpoints.remove();
    present.upkeep.clear();
    return;
  }
  present.databaseUp.set(1);
  const counts = new Map(reading.liveOrders.map(({ state, count }) => [state, count]));
  for (const state of STATES) if (!isFinal(state)) present.orders.set({ state }, counts.get(state) ?? 0);
  for (const [state, count] of Object.entries(reading.deliveries)) present.deliveries.set({ state }, count);
  present.failingEndpoints.set(reading.failingEndpoints);
  present.upkeep.show(reading.upkeep);
}
