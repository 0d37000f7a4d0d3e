// The charts of the report: plain SVG in the page's own colours, each with a sentence for whoever cannot see it.

export interface Column {
  label: string;
  /** One value, or several on top of each other, in the colours of the series. */
  values: readonly number[];
}

export interface ColumnChart {
  title: string;
  /** Below the columns, every so many of them. */
  labelEvery: number;
  unit: string;
  columns: readonly Column[];
  /** Beside each other instead of on top of each other. */
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
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${fix(y(value))}" y2="${fix(y(value))}"/>` +
      `<text class="axis" x="${LEFT - 6}" y="${fix(y(value) + 4)}" text-anchor="end">${showNumber(value)}</text>`,
  );
  const bars = columns.map((column, index) => drawBars(column, { x: LEFT + index * step, step, y, isGrouped }));
  const labels = columns.flatMap(({ label }, index) =>
    index % chart.labelEvery === 0
      ? [
          `<text class="axis" x="${fix(LEFT + (index + 0.5) * step)}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${escapeHtml(label)}</text>`,
        ]
      : [],
  );
  const unit = `<text class="axis" x="${WIDTH - RIGHT}" y="${HEIGHT - 4}" text-anchor="end">${escapeHtml(chart.unit)}</text>`;
  return wrap(chart.title, HEIGHT, [...lines, ...bars, ...labels, unit].join(''));
}

interface BarPlace {
  x: number;
  step: number;
  y: (value: number) => number;
  isGrouped: boolean;
}

function drawBars({ label, values }: Column, { x, step, y, isGrouped }: BarPlace): string {
  const gap = Math.min(3, step * 0.15);
  const width = (step - gap) / (isGrouped ? values.length : 1);
  let below = 0;
  const bars = values.map((value, series) => {
    const base = isGrouped ? 0 : below;
    below += value;
    const left = x + gap / 2 + (isGrouped ? series * width : 0);
    const height = y(base) - y(base + value);
    return value === 0
      ? ''
      : `<rect class="series${series}" x="${fix(left)}" y="${fix(y(base + value))}" width="${fix(width)}" height="${fix(height)}"/>`;
  });
  return `<g><title>${escapeHtml(`${label}: ${values.map(showNumber).join(', ')}`)}</title>${bars.join('')}</g>`;
}

/** One bar in parts, with its legend below. */
export function drawShares(title: string, parts: readonly { label: string; value: number }[]): string {
  const all = Math.max(1, total(parts.map(({ value }) => value)));
  let x = 0;
  const drawn = parts.map(({ label, value }, index) => {
    const width = (value / all) * WIDTH;
    const bar = `<rect class="series${index}" x="${fix(x)}" y="8" width="${fix(width)}" height="40"><title>${escapeHtml(label)}: ${value}</title></rect>`;
    x += width;
    return bar;
  });
  return wrap(title, 56, drawn.join(''));
}

export interface Bin {
  from: number;
  count: number;
}

/** Counts values by equal steps from 0; the last bin holds everything beyond. */
export function countBins(values: readonly number[], step: number, most: number): Bin[] {
  const highest = Math.min(most - 1, Math.floor(Math.max(0, ...values) / step));
  return Array.from({ length: highest + 1 }, (_, index) => ({
    from: index * step,
    count: values.filter((value) => Math.min(highest, Math.floor(value / step)) === index).length,
  }));
}

function wrap(title: string, height: number, content: string): string {
  return (
    `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeHtml(title)}" preserveAspectRatio="xMidYMid meet">` +
    `${content}</svg>`
  );
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

export function showNumber(value: number): string {
  if (value >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 10 ? 1 : 2);
}

function niceTop(value: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(value));
  const steps = [1, 2, 4, 5, 6, 8, 10].map((factor) => factor * magnitude);
  return Math.max(2, steps.find((step) => step >= value) ?? value);
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function fix(value: number): string {
  return String(Number(value.toFixed(1)));
}
