// Bars as SVG, written without a library: groups of bars with their names and values, for light and for dark pages, and
// with the same said in words for whoever does not see them.

export interface Bar {
  label: string;
  value: number;
  /** The one that the chart is about. */
  isOurs: boolean;
}

export interface BarGroup {
  /** Empty when there is only one. */
  label: string;
  bars: readonly Bar[];
}

export interface BarChart {
  title: string;
  unit: string;
  /** What the bars show, and whether long ones are good. */
  note: string;
  groups: readonly BarGroup[];
}

const WIDTH = 720;
const MARGIN = 16;
const LABEL_WIDTH = 200;
/** For the value behind the longest bar. */
const VALUE_WIDTH = 90;
const MOST_LENGTH = WIDTH - 2 * MARGIN - LABEL_WIDTH - VALUE_WIDTH;
const HEAD_HEIGHT = 58;
const GROUP_HEAD_HEIGHT = 26;
const BAR_HEIGHT = 20;
const BAR_STEP = 28;
const GROUP_GAP = 10;

const STYLE = `
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
  .title { font-size: 16px; font-weight: 600; }
  .note { fill: #59636e; }
  .group { font-weight: 600; }
  .ours { fill: #2a78d6; }
  .other { fill: #9aa4af; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .note { fill: #9198a1; }
    .ours { fill: #4c9aff; }
    .other { fill: #656c76; }
  }`;

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
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escapeXml(chart.title)}</title>`,
    `<desc id="desc">${escapeXml(describe(chart))}</desc>`,
    `<style>${STYLE}\n</style>`,
    textAt({ x: MARGIN, y: 26, style: 'title' }, chart.title),
    textAt({ x: MARGIN, y: 46, style: 'note' }, `${chart.unit}; ${chart.note}`),
    ...lines,
    '</svg>\n',
  ].join('\n');
}

function drawBar({ label, value, isOurs }: Bar, y: number, highest: number): string {
  const length = Math.max(1, (value / highest) * MOST_LENGTH);
  const x = MARGIN + LABEL_WIDTH;
  const baseline = y + BAR_HEIGHT - 5;
  return [
    textAt({ x: x - 8, y: baseline, anchor: 'end' }, label),
    `<rect x="${x}" y="${y}" width="${length.toFixed(1)}" height="${BAR_HEIGHT}" rx="2" class="${isOurs ? 'ours' : 'other'}"/>`,
    textAt({ x: x + length + 8, y: baseline }, showValue(value)),
  ].join('\n');
}

interface TextPlace {
  x: number;
  y: number;
  style?: string;
  anchor?: 'end';
}

function textAt({ x, y, style, anchor }: TextPlace, text: string): string {
  const attributes = [
    `x="${Number(x.toFixed(1))}" y="${y}"`,
    ...(style === undefined ? [] : [`class="${style}"`]),
    ...(anchor === undefined ? [] : [`text-anchor="${anchor}"`]),
  ];
  return `<text ${attributes.join(' ')}>${escapeXml(text)}</text>`;
}

function describe({ unit, note, groups }: BarChart): string {
  const groupsInWords = groups.map(({ label, bars }) => {
    const values = bars.map((bar) => `${bar.label} ${showValue(bar.value)}`).join(', ');
    return label === '' ? values : `${label}: ${values}`;
  });
  return `${unit}; ${note}. ${groupsInWords.join('. ')}.`;
}

/** Three digits that count, as a reader compares them. */
export function showValue(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
