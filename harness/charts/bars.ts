// Groups of labeled bars; ours are highlighted.
import { drawPicture, rectangle, showValue, textAt } from './svg.ts';

export interface Bar {
  label: string;
  value: number;
  /** Whether this is the subject of the chart. */
  isOurs: boolean;
}

export interface BarGroup {
  /** Empty if there is only one group. */
  label: string;
  bars: readonly Bar[];
}

export interface BarChart {
  title: string;
  unit: string;
  /** What the bars show, and whether longer is better. */
  note: string;
  groups: readonly BarGroup[];
}

const WIDTH = 720;
const MARGIN = 16;
const LABEL_WIDTH = 200;
/** Space for the value after the longest bar. */
const VALUE_WIDTH = 90;
const MAX_LENGTH = WIDTH - 2 * MARGIN - LABEL_WIDTH - VALUE_WIDTH;
const HEAD_HEIGHT = 58;
const GROUP_HEAD_HEIGHT = 26;
const BAR_HEIGHT = 20;
const BAR_STEP = 28;
const GROUP_GAP = 10;

export function drawBarChart(chart: BarChart): string {
  const highest = Math.max(...chart.groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  if (!Number.isFinite(highest) || highest <= 0) throw new Error('a chart needs a value above zero');
  const lines: string[] = [];
  let y = HEAD_HEIGHT;
  for (const { label, bars } of chart.groups) {
    if (label !== '') {
      lines.push(textAt({ x: MARGIN, y: y + 17, style: 'group' }, label));
      y += GROUP_HEAD_HEIGHT;
    }
    for (const bar of bars) {
      lines.push(drawBar(bar, y, highest));
      y += BAR_STEP;
    }
    y += GROUP_GAP;
  }
  return drawPicture({ title: chart.title, description: describe(chart), width: WIDTH, height: y }, [
    textAt({ x: MARGIN, y: 26, style: 'title' }, chart.title),
    textAt({ x: MARGIN, y: 46, style: 'note' }, `${chart.unit}; ${chart.note}`),
    ...lines,
  ]);
}

function drawBar({ label, value, isOurs }: Bar, y: number, highest: number): string {
  const length = Math.max(1, (value / highest) * MAX_LENGTH);
  const x = MARGIN + LABEL_WIDTH;
  const baseline = y + BAR_HEIGHT - 5;
  return [
    textAt({ x: x - 8, y: baseline, anchor: 'end' }, label),
    rectangle({ x, y, width: length, height: BAR_HEIGHT, radius: 2, style: isOurs ? 'ours' : 'other' }),
    textAt({ x: x + length + 8, y: baseline }, showValue(value)),
  ].join('\n');
}

function describe({ unit, note, groups }: BarChart): string {
  const groupsInWords = groups.map(({ label, bars }) => {
    const values = bars.map((bar) => `${bar.label} ${showValue(bar.value)}`).join(', ');
    return label === '' ? values : `${label}: ${values}`;
  });
  return `${unit}; ${note}. ${groupsInWords.join('. ')}.`;
}
