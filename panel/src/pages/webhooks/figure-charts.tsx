import type { FigureRange, FiguresAnswer } from '../../../../src/contract/panel/webhooks/webhooks.ts';
import { LineChart } from '../../ui/charts/line-chart.tsx';
import { Card } from '../../ui/content/page.tsx';
import { formatZoned, zoneName } from '../../ui/time/time-words.ts';
import { useRestaurantZone } from '../../ui/time/zone.ts';
import { timingTexts } from '../../texts/webhooks/timing.ts';
import { figureTexts } from '../../texts/webhooks/webhooks.ts';

export function FigureCharts({ buckets, range }: { buckets: FiguresAnswer['buckets']; range: FigureRange }) {
  const timeZone = useRestaurantZone();
  const time = {
    instants: buckets.map(({ from }) => Date.parse(from)),
    formatTick: (at: number) => formatZoned(at, timeZone, range === '7d' ? 'day' : 'time'),
    formatInstant: (at: number) => `${formatZoned(at, timeZone, 'minute')} ${zoneName(at, timeZone)}`,
  };
  const rates = buckets.map(({ delivered, failed }) =>
    delivered + failed === 0 ? null : delivered / (delivered + failed),
  );
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Card title={figureTexts.success} description={figureTexts.successHint}>
        <LineChart
          {...time}
          label={figureTexts.chartOf(figureTexts.success)}
          top={1}
          formatValue={figureTexts.percent}
          series={[{ name: figureTexts.rate, className: 'text-good', values: rates }]}
        />
      </Card>
      <Card title={figureTexts.latency} description={figureTexts.latencyHint}>
        <LineChart
          {...time}
          label={figureTexts.chartOf(figureTexts.latency)}
          formatValue={timingTexts.milliseconds}
          series={[
            { name: figureTexts.p50, className: 'text-accent', values: buckets.map(({ p50Ms }) => p50Ms) },
            {
              name: figureTexts.p95,
              className: 'text-warn',
              isDashed: true,
              values: buckets.map(({ p95Ms }) => p95Ms),
            },
          ]}
        />
      </Card>
    </div>
  );
}
