// Many rows of thin bars, one bar per series: ours next to the published ones.
import { drawPicture, rectangle, SERIES_CLASSES, showValue, textAt } from './svg.ts';

export interface RowSeries {
  name: string;
  /** One per row. */
  values: readonly number[];
}

export interface RowChart {
  title: string;
  unit: string;
  rows: readonly string[];
  /** Ours first; at most four. */
  series: readonly RowSeries[];
}

const MARGIN = 16;
const LABEL_WIDTH = 110;
const BAR_WIDTH = 540;
/** Space for the value after the longest bar. */
const VALUE_WIDTH = 60;
const WIDTH = LABEL_WIDTH + BAR_WIDTH + VALUE_WIDTH;
const LEGEND_STEP = 140;
const BAR_STEP = 12;
const BAR_HEIGHT = 10;
const ROW_GAP = 8;
const TOP = 62;

export function drawRowChart(chart: RowChart): string {
  const { title, unit, rows, series } = chart;
  if (series.length > SERIES_CLASSES.length) throw new Error(`a chart shows ${SERIES_CLASSES.length} series at most`);
  const highest = Math.max(...series.flatMap(({ values }) => values), 1e-9);
  const rowHeight = series.length * BAR_STEP + ROW_GAP;
  const bars = rows.flatMap((row, index) => {
    const y = TOP + index * rowHeight;
    const label = textAt({ x: LABEL_WIDTH - 8, y: y + (rowHeight - ROW_GAP) / 2 + 4, anchor: 'end' }, row);
    return [label, ...series.flatMap((one, line) => drawBar(one.values[index] ?? 0, { line, y, highest }))];
  });
  const picture = { title, description: describe(chart), width: WIDTH, height: TOP + rows.length * rowHeight + 10 };
  return drawPicture(picture, [
    textAt({ x: MARGIN, y: 24, style: 'title' }, `${title}, ${unit}`),
    ...series.flatMap(({ name }, line) => drawLegend(name, line)),
    ...bars,
  ]);
}

function drawLegend(name: string, line: number): string[] {
  const x = LABEL_WIDTH + line * LEGEND_STEP;
  return [
    rectangle({ x, y: 38, width: 10, height: 10, style: SERIES_CLASSES[line] ?? '' }),
    textAt({ x: x + 16, y: 47 }, name),
  ];
}

function drawBar(value: number, at: { line: number; y: number; highest: number }): string[] {
  const length = (Math.max(0, value) / at.highest) * BAR_WIDTH;
  const y = at.y + at.line * BAR_STEP;
  const style = SERIES_CLASSES[at.line] ?? '';
  return [
    rectangle({ x: LABEL_WIDTH, y, width: length, height: BAR_HEIGHT, style }),
    textAt({ x: LABEL_WIDTH + length + 4, y: y + BAR_HEIGHT - 1, style: 'small' }, showValue(value)),
  ];
}

function describe({ unit, rows, series }: RowChart): string {
  const rowsInWords = rows.map((row, index) => {
    const values = series.map(({ name, values: column }) => `${name} ${showValue(column[index] ?? 0)}`);
    return `${row}: ${values.join(', ')}`;
  });
  return `${unit}. ${rowsInWords.join('. ')}.`;
}
