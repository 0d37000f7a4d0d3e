// Loaded with the library for charts when somebody opens the tab.
import { CartesianGrid, Legend, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { ReactNode } from 'react';
import type { FigureRange, FiguresAnswer } from '../../../../src/contract/panel/webhooks/webhooks.ts';
import { useRestaurantZone } from '../../ui/time/zone.ts';
import { Card } from '../../ui/content/page.tsx';
import { formatZoned } from '../../ui/time/time-words.ts';
import { timingTexts } from '../../texts/webhooks/timing.ts';
import { figureTexts } from '../../texts/webhooks/webhooks.ts';

interface Point {
  at: number;
  rate: number | null;
  p50: number | null;
  p95: number | null;
}

const AXIS = { fill: 'var(--ink-faint)', fontSize: 12 };
// A dashed line must not dash its dots.
const LINE = {
  type: 'linear',
  strokeWidth: 2,
  dot: { r: 2, strokeDasharray: 'none' },
  isAnimationActive: false,
} as const;
const TOOLTIP = {
  contentStyle: { background: 'var(--raised)', border: '1px solid var(--line)', borderRadius: 8, color: 'var(--ink)' },
  labelStyle: { color: 'var(--ink-soft)' },
};

export function FigureCharts({ buckets, range }: { buckets: FiguresAnswer['buckets']; range: FigureRange }) {
  const points: Point[] = buckets.map(({ from, delivered, failed, p50Ms, p95Ms }) => ({
    at: Date.parse(from),
    rate: delivered + failed === 0 ? null : delivered / (delivered + failed),
    p50: p50Ms,
    p95: p95Ms,
  }));
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Chart name={figureTexts.success} hint={figureTexts.successHint} points={points} range={range}>
        <YAxis tick={AXIS} width={52} domain={[0, 1]} tickFormatter={figureTexts.percent} />
        <Tooltip
          {...TOOLTIP}
          labelFormatter={useTimeLabel('24h')}
          formatter={(value) => figureTexts.percent(Number(value))}
        />
        <Line {...LINE} dataKey="rate" name={figureTexts.rate} stroke="var(--good)" />
      </Chart>
      <Chart name={figureTexts.latency} hint={figureTexts.latencyHint} points={points} range={range}>
        <YAxis tick={AXIS} width={64} tickFormatter={timingTexts.milliseconds} />
        <Tooltip
          {...TOOLTIP}
          labelFormatter={useTimeLabel('24h')}
          formatter={(value) => timingTexts.milliseconds(Number(value))}
        />
        <Legend iconType="plainline" />
        <Line {...LINE} dataKey="p50" name={figureTexts.p50} stroke="var(--accent)" />
        <Line {...LINE} dataKey="p95" name={figureTexts.p95} stroke="var(--warn)" strokeDasharray="5 3" />
      </Chart>
    </div>
  );
}

interface ChartProps {
  name: string;
  hint: string;
  points: Point[];
  range: FigureRange;
  children: ReactNode;
}

function Chart({ name, hint, points, range, children }: ChartProps) {
  const label = useTimeLabel(range);
  return (
    <Card title={name} description={hint}>
      <div role="img" aria-label={figureTexts.chartOf(name)} className="h-56 w-full">
        <ResponsiveContainer width="100%" height="100%">
          <LineChart data={points} accessibilityLayer={false} margin={{ top: 8, right: 8, bottom: 0, left: 0 }}>
            <CartesianGrid stroke="var(--line)" vertical={false} />
            <XAxis
              dataKey="at"
              type="number"
              scale="time"
              domain={['dataMin', 'dataMax']}
              tick={AXIS}
              tickFormatter={label}
              minTickGap={32}
            />
            {children}
          </LineChart>
        </ResponsiveContainer>
      </div>
    </Card>
  );
}

function useTimeLabel(range: FigureRange): (at: unknown) => string {
  const timeZone = useRestaurantZone();
  return (at) => formatZoned(Number(at), timeZone, range === '7d' ? 'date' : 'time');
}
