// Bars as SVG, readable on light and on dark pages: ours beside the published ones, a row for each group.

export interface ChartSeries {
  name: string;
  color: string;
  values: readonly number[];
}

export interface Chart {
  title: string;
  unit: string;
  rows: readonly string[];
  series: readonly ChartSeries[];
}

const LABEL_WIDTH = 110;
const BAR_WIDTH = 560;
const BAR_HEIGHT = 7;
const ROW_GAP = 6;
const TOP = 56;

export function drawChart({ title, unit, rows, series }: Chart): string {
  const highest = Math.max(...series.flatMap(({ values }) => values), 1e-9);
  const rowHeight = series.length * BAR_HEIGHT + ROW_GAP;
  const height = TOP + rows.length * rowHeight + 10;
  const width = LABEL_WIDTH + BAR_WIDTH + 60;
  const legend = series.map(
    ({ name, color }, index) =>
      `<rect x="${LABEL_WIDTH + index * 140}" y="30" width="10" height="10" fill="${color}"/>` +
      `<text x="${LABEL_WIDTH + 16 + index * 140}" y="39">${escapeXml(name)}</text>`,
  );
  const bars = rows.flatMap((row, index) => {
    const y = TOP + index * rowHeight;
    const label = `<text x="${LABEL_WIDTH - 6}" y="${y + rowHeight / 2}" text-anchor="end">${escapeXml(row)}</text>`;
    return [label, ...series.map((one, line) => drawBar(one, { index, y: y + line * BAR_HEIGHT, highest }))];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="10" fill="#888">`,
    `<text x="10" y="18" font-size="14">${escapeXml(title)}, ${escapeXml(unit)}</text>`,
    ...legend,
    ...bars,
    '</svg>\n',
  ].join('\n');
}

function drawBar({ color, values }: ChartSeries, at: { index: number; y: number; highest: number }): string {
  const value = values[at.index] ?? 0;
  const length = (Math.max(0, value) / at.highest) * BAR_WIDTH;
  return (
    `<rect x="${LABEL_WIDTH}" y="${at.y}" width="${length.toFixed(1)}" height="${BAR_HEIGHT - 1}" fill="${color}"/>` +
    `<text x="${(LABEL_WIDTH + length + 4).toFixed(1)}" y="${at.y + BAR_HEIGHT - 1}" font-size="7">${value.toFixed(2)}</text>`
  );
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
