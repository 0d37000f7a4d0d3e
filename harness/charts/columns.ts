// Column charts and share bars for a page that defines colors for the classes grid, axis and series0 to series2.
import { drawInline, escapeXml, rectangle, round, showNumber, textAt } from './svg.ts';

export interface Column {
  label: string;
  /** One value, or several stacked ones in the series colors. */
  values: readonly number[];
}

export interface ColumnChart {
  title: string;
  /** One label below every this many columns. */
  labelEvery: number;
  unit: string;
  columns: readonly Column[];
  /** Draws values side by side instead of stacked. */
  isGrouped?: boolean;
}

const WIDTH = 480;
const HEIGHT = 180;
const LEFT = 48;
const BOTTOM = 34;
const TOP = 12;
const RIGHT = 18;

export function drawColumns(chart: ColumnChart): string {
  const { columns, isGrouped = false } = chart;
  const heightOf = ({ values }: Column): number => (isGrouped ? Math.max(...values) : total(values));
  const top = niceTop(Math.max(1, ...columns.map(heightOf)));
  const inner = HEIGHT - TOP - BOTTOM;
  const y = (value: number): number => TOP + inner * (1 - value / top);
  const step = (WIDTH - LEFT - RIGHT) / Math.max(1, columns.length);
  const lines = [0, top / 2, top].map(
    (value) =>
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${round(y(value))}" y2="${round(y(value))}"/>` +
      textAt({ x: LEFT - 6, y: y(value) + 4, style: 'axis', anchor: 'end' }, showNumber(value)),
  );
  const bars = columns.map((column, index) => drawBars(column, { x: LEFT + index * step, step, y, isGrouped }));
  const labels = columns.flatMap(({ label }, index) =>
    index % chart.labelEvery === 0
      ? [textAt({ x: LEFT + (index + 0.5) * step, y: HEIGHT - BOTTOM + 16, style: 'axis', anchor: 'middle' }, label)]
      : [],
  );
  const unit = textAt({ x: WIDTH - RIGHT, y: HEIGHT - 4, style: 'axis', anchor: 'end' }, chart.unit);
  const picture = { title: chart.title, description: describe(chart), width: WIDTH, height: HEIGHT };
  return drawInline(picture, [...lines, ...bars, ...labels, unit].join(''));
}

function describe({ unit, columns }: ColumnChart): string {
  return `${unit}: ${columns.map(inWords).join('; ')}`;
}

function inWords({ label, values }: Column): string {
  return `${label}: ${values.map(showNumber).join(', ')}`;
}

interface BarPlace {
  x: number;
  step: number;
  y: (value: number) => number;
  isGrouped: boolean;
}

function drawBars(column: Column, { x, step, y, isGrouped }: BarPlace): string {
  const { values } = column;
  const gap = Math.min(3, step * 0.15);
  const width = (step - gap) / (isGrouped ? values.length : 1);
  let below = 0;
  const bars = values.map((value, series) => {
    const base = isGrouped ? 0 : below;
    below += value;
    const left = x + gap / 2 + (isGrouped ? series * width : 0);
    const place = { x: left, y: y(base + value), width, height: y(base) - y(base + value) };
    return value === 0 ? '' : rectangle({ ...place, style: `series${series}` });
  });
  return `<g><title>${escapeXml(inWords(column))}</title>${bars.join('')}</g>`;
}

/** One bar divided into shares, with a legend below. */
export function drawShares(title: string, parts: readonly { label: string; value: number }[]): string {
  const all = Math.max(1, total(parts.map(({ value }) => value)));
  let x = 0;
  const drawn = parts.map(({ label, value }, index) => {
    const width = (value / all) * WIDTH;
    const bar = rectangle({ x, y: 8, width, height: 40, style: `series${index}` }, `${label}: ${value}`);
    x += width;
    return bar;
  });
  const description = parts.map(({ label, value }) => `${label}: ${value}`).join('; ');
  return drawInline({ title, description, width: WIDTH, height: 56 }, drawn.join(''));
}

export interface Bin {
  from: number;
  count: number;
}

/** Counts values in bins of equal width from 0; the last bin includes everything beyond it. */
export function countBins(values: readonly number[], step: number, most: number): Bin[] {
  const highest = Math.min(most - 1, Math.floor(Math.max(0, ...values) / step));
  return Array.from({ length: highest + 1 }, (_, index) => ({
    from: index * step,
    count: values.filter((value) => Math.min(highest, Math.floor(value / step)) === index).length,
  }));
}

function niceTop(value: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(value));
  const steps = [1, 2, 4, 5, 6, 8, 10].map((factor) => factor * magnitude);
  return Math.max(2, steps.find((step) => step >= value) ?? value);
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
