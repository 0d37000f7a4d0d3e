// Defines the charts. A chart is drawn only if all of its figures were measured.
import { formatCount } from '../../src/domain/counts.ts';
import { drawBarChart, type Bar, type BarChart } from '../../harness/charts/bars.ts';
import type { Result } from './report.ts';

/** Returns the value of a figure; undefined if it was not measured. */
type Look = (name: string) => number | undefined;

const CONTESTANTS = [
  { name: 'waybill', label: 'Waybill' },
  { name: 'pgboss', label: 'on pg-boss' },
  { name: 'graphile', label: 'on graphile-worker' },
];

/** SVG sources by file name. */
export function drawCharts(results: readonly Result[]): Map<string, string> {
  const values = new Map(results.map(({ name, value }) => [name, value]));
  const look: Look = (name) => values.get(name);
  const charts: Record<string, BarChart | undefined> = {
    'versus-rate.svg': drawVersus(look, [{ figure: 'rate', label: '' }], {
      title: 'Orders accepted, stored and sent by signed webhook',
      unit: 'orders per second',
      note: 'longer is better',
    }),
    'versus-cpu.svg': drawVersus(look, [{ figure: 'cpu', label: '' }], {
      title: 'CPU cost',
      unit: 'CPU-seconds per 1,000 orders, including the database',
      note: 'shorter is better',
    }),
    'versus-latency.svg': drawVersus(
      look,
      [
        { figure: 'p50', label: 'median' },
        { figure: 'p99', label: 'p99' },
      ],
      { title: 'From the order to its webhook', unit: 'milliseconds', note: 'shorter is better' },
    ),
    'speed.svg': drawSpeed(look),
    'fairness.svg': drawFairness(look),
    'growth.svg': drawGrowth(results),
    'planning.svg': drawPlanning(look),
  };
  const drawn = new Map<string, string>();
  for (const [file, chart] of Object.entries(charts)) if (chart !== undefined) drawn.set(file, drawBarChart(chart));
  return drawn;
}

function drawVersus(
  look: Look,
  groups: readonly { figure: string; label: string }[],
  head: Omit<BarChart, 'groups'>,
): BarChart | undefined {
  return chartOf(
    head,
    groups.map(({ figure, label }) => ({
      label,
      bars: CONTESTANTS.map((contestant) => ({
        label: contestant.label,
        value: look(`versus.${contestant.name}.${figure}`),
        isOurs: contestant.name === 'waybill',
      })),
    })),
  );
}

function drawSpeed(look: Look): BarChart | undefined {
  const head = {
    title: 'Throughput compared with the limits',
    unit: 'per second',
    note: 'limits: Fastify that only echoes, undici that only posts',
  };
  return chartOf(head, [
    {
      label: 'orders in',
      bars: [
        { label: 'Waybill, durable', value: look('intake.rate'), isOurs: true },
        { label: 'bare echo', value: look('echo.rate'), isOurs: false },
      ],
    },
    {
      label: 'webhooks out',
      bars: [
        { label: 'Waybill, recorded', value: look('delivery.rate'), isOurs: true },
        { label: 'bare loop', value: look('loop.rate'), isOurs: false },
      ],
    },
  ]);
}

function drawFairness(look: Look): BarChart | undefined {
  const cases = [
    { name: 'without', label: 'all endpoints healthy' },
    { name: 'with_bad', label: '30% dead' },
    { name: 'with_backlog', label: 'one with a backlog' },
  ];
  const head = {
    title: 'Effect of failing endpoints on healthy ones',
    unit: 'milliseconds from commit to a healthy receiver',
    note: 'equal bars are good',
  };
  return chartOf(
    head,
    [
      { figure: 'p50', label: 'median' },
      { figure: 'p99', label: 'p99' },
    ].map(({ figure, label }) => ({
      label,
      bars: cases.map((one) => ({
        label: one.label,
        value: look(`fairness.${one.name}.${figure}`),
        isOurs: one.name !== 'without',
      })),
    })),
  );
}

function drawGrowth(results: readonly Result[]): BarChart | undefined {
  const head = {
    title: 'Claim and intake as history grows',
    unit: 'p99 in milliseconds, by rows of history',
    note: 'equal bars are good',
  };
  const groups = ['claim', 'intake'].map((what) => {
    const levelName = new RegExp(`^growth\\.${what}\\.(\\d+)\\.p99$`);
    return {
      label: what === 'claim' ? 'claiming due deliveries' : 'accepting an order',
      bars: results.flatMap(({ name, value }) => {
        const level = levelName.exec(name)?.[1];
        return level === undefined ? [] : [{ label: formatCount(Number(level)), value, isOurs: true }];
      }),
    };
  });
  return groups.some(({ bars }) => bars.length === 0) ? undefined : chartOf(head, groups);
}

function drawPlanning(look: Look): BarChart | undefined {
  const head = {
    title: 'Planning in the service: 1,000 open orders, 300 couriers',
    unit: 'milliseconds',
    note: 'limit of a plan: 100 ms; the API should not slow down',
  };
  return chartOf(head, [
    {
      label: 'planning a new order',
      bars: [
        { label: 'median', value: look('planning.replan.p50'), isOurs: true },
        { label: 'p99', value: look('planning.replan.p99'), isOurs: true },
      ],
    },
    {
      label: 'API response time, p99',
      bars: [
        { label: 'while planning', value: look('planning.api.on.p99'), isOurs: true },
        { label: 'without planning', value: look('planning.api.off.p99'), isOurs: false },
      ],
    },
  ]);
}

interface MaybeBar extends Omit<Bar, 'value'> {
  value: number | undefined;
}

function chartOf(
  head: Omit<BarChart, 'groups'>,
  groups: readonly { label: string; bars: readonly MaybeBar[] }[],
): BarChart | undefined {
  const known = groups.map(({ label, bars }) => ({
    label,
    bars: bars.flatMap(({ value, ...bar }) => (value === undefined ? [] : [{ ...bar, value }])),
  }));
  const isWhole = known.every(({ bars }, index) => bars.length === groups[index]?.bars.length);
  return isWhole ? { ...head, groups: known } : undefined;
}
