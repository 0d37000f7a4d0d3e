// Lines over time as plain SVG: the panel's two charts do not justify a library of 100 kB. Assistive technology sees a
// chart as one image, so each page with a chart also has its figures as a table.
import { useState, type PointerEvent, type ReactNode } from 'react';
import { classes } from '../class-names.ts';
import { linePath, placeTicks, timeTicks, type LinePoint } from './line-geometry.ts';

export interface LineSeries {
  name: string;
  /** Sets the current color. */
  className: string;
  isDashed?: boolean;
  values: readonly (number | null)[];
}

export interface LineChartProps {
  /** What the chart shows, and where its figures are available as text. */
  label: string;
  /** One instant for each value of a series, in ascending order. */
  instants: readonly number[];
  series: readonly LineSeries[];
  /** End of the vertical axis; defaults to the highest value. */
  top?: number;
  formatValue: (value: number) => string;
  /** Short form for the horizontal axis. */
  formatTick: (at: number) => string;
  /** Full form for the tooltip of one instant. */
  formatInstant: (at: number) => string;
}

const percent = (share: number): string => `${share * 100}%`;

export function LineChart({ label, instants, series, top, formatValue, formatTick, formatInstant }: LineChartProps) {
  const [chosen, setChosen] = useState<number | null>(null);
  const first = instants[0] ?? 0;
  const span = Math.max(1, (instants.at(-1) ?? 0) - first);
  const xOf = (at: number): number => (at - first) / span;
  const highest = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const ticks = placeTicks(top ?? highest);
  const height = ticks.at(-1) ?? 1;
  const choose = ({ currentTarget, clientX }: PointerEvent<HTMLElement>): void => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const distances = instants.map((at) => Math.abs(xOf(at) - (clientX - left) / width));
    setChosen(distances.indexOf(Math.min(...distances)));
  };
  return (
    <div role="img" aria-label={label} className="w-full text-xs text-ink-faint">
      <div className="flex h-50 pt-2 pr-6">
        <div className="relative mr-2 w-14 shrink-0">
          {ticks.map((tick) => (
            <span
              key={tick}
              className="absolute right-0 translate-y-1/2 whitespace-nowrap tabular"
              style={{ bottom: percent(tick / height) }}
            >
              {formatValue(tick)}
            </span>
          ))}
        </div>
        <div
          className="relative flex-1"
          onPointerMove={choose}
          onPointerDown={choose}
          onPointerLeave={() => setChosen(null)}
        >
          {ticks.map((tick) => (
            <span key={tick} className="absolute inset-x-0 border-t" style={{ bottom: percent(tick / height) }} />
          ))}
          {series.map((one) => (
            <Line
              key={one.name}
              series={one}
              points={one.values.map((value, index) =>
                value === null ? null : { x: xOf(instants[index] ?? first), y: value / height },
              )}
            />
          ))}
          {chosen !== null && (
            <Reading x={xOf(instants[chosen] ?? first)} title={formatInstant(instants[chosen] ?? first)}>
              {series.map(({ name, className, values }) => {
                const value = values[chosen] ?? null;
                return value === null ? null : (
                  <span key={name} className={className}>{`${name}: ${formatValue(value)}`}</span>
                );
              })}
            </Reading>
          )}
        </div>
      </div>
      <div className="relative mr-6 ml-16 h-6">
        {timeTicks(instants).map((at) => (
          <span
            key={at}
            className="absolute top-2 -translate-x-1/2 whitespace-nowrap"
            style={{ left: percent(xOf(at)) }}
          >
            {formatTick(at)}
          </span>
        ))}
      </div>
      {series.length > 1 && <Legend series={series} />}
    </div>
  );
}

const LINE = {
  fill: 'none',
  stroke: 'currentColor',
  vectorEffect: 'non-scaling-stroke',
  strokeLinecap: 'round',
} as const;

function Line({ series, points }: { series: LineSeries; points: readonly (LinePoint | null)[] }) {
  const dots = points.map((point) => linePath([point])).join('');
  return (
    <svg
      aria-hidden
      viewBox="0 0 1000 1000"
      preserveAspectRatio="none"
      className={classes('absolute inset-0 size-full overflow-visible', series.className)}
    >
      <path
        {...LINE}
        d={linePath(points)}
        strokeWidth={2}
        strokeDasharray={series.isDashed === true ? '5 4' : undefined}
      />
      {/* The SVG is stretched, which would distort circles, so dots are zero-length lines with round caps. */}
      <path {...LINE} d={dots} strokeWidth={5} />
    </svg>
  );
}

function Reading({ x, title, children }: { x: number; title: string; children: ReactNode }) {
  return (
    <>
      <span
        className="pointer-events-none absolute inset-y-0 border-l border-line-strong"
        style={{ left: percent(x) }}
      />
      <span
        className={classes(
          'pointer-events-none absolute top-0 z-10 flex flex-col gap-0.5 rounded-md border bg-raised px-2.5 py-1.5 whitespace-nowrap shadow-float',
          x > 0.5 ? '-translate-x-[calc(100%+0.5rem)]' : 'translate-x-2',
        )}
        style={{ left: percent(x) }}
      >
        <span className="text-ink-soft">{title}</span>
        {children}
      </span>
    </>
  );
}

function Legend({ series }: { series: readonly LineSeries[] }) {
  return (
    <div className="flex justify-center gap-5 pt-1">
      {series.map(({ name, className, isDashed = false }) => (
        <span key={name} className={classes('flex items-center gap-1.5', className)}>
          <span className={classes('w-5 border-t-2 border-current', isDashed && 'border-dashed')} />
          {name}
        </span>
      ))}
    </div>
  );
}
