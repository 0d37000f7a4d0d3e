import { expect, test } from 'vitest';
import { drawColumns, drawShares } from './columns.ts';
import { drawRowChart } from './rows.ts';
import { showNumber, showValue } from './svg.ts';

const COLUMNS = {
  title: 'Orders & webhooks',
  unit: 'minutes',
  labelEvery: 1,
  columns: [
    { label: '<0', values: [1, 3] },
    { label: '5', values: [2, 0] },
  ],
};
const ROWS = {
  title: 'Distance <km>',
  unit: 'mean',
  rows: ['lc1', 'lr1'],
  series: [
    { name: 'Waybill', values: [10, 20] },
    { name: 'best known', values: [5, 20] },
  ],
};

function widthsOf(svg: string): number[] {
  return [...svg.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map((match) => Number(match[1]));
}

test('values are shown with three significant digits', () => {
  expect([12_345.6, 123.4, 12.34, 1.234, 0.1234].map(showValue)).toEqual(['12,346', '123', '12.3', '1.23', '0.123']);
});

test('counts have no decimals', () => {
  expect([0, 7, 1_000, 1.5].map(showNumber)).toEqual(['0', '7', '1,000', '1.50']);
});

test('rows of bars are proportional to their values, under a legend that names the series', () => {
  const [legend, , ...bars] = widthsOf(drawRowChart(ROWS));
  expect(legend).toBe(10);
  expect(bars).toEqual([270, 135, 540, 540]);
});

test('each chart has a text alternative, and text cannot escape its element', () => {
  const shares = drawShares('Shares', [{ label: '"alone"', value: 2 }]);
  expect(drawRowChart(ROWS)).toContain(
    '<desc id="desc">mean. lc1: Waybill 10.0, best known 5.00. lr1: Waybill 20.0, best known 20.0.</desc>',
  );
  expect(drawRowChart(ROWS)).toContain('Distance &lt;km&gt;');
  expect(drawColumns(COLUMNS)).toContain('aria-label="Orders &amp; webhooks. minutes: &lt;0: 1, 3; 5: 2, 0"');
  expect(shares).toContain('aria-label="Shares. &quot;alone&quot;: 2"');
});

test('more series than colors are rejected', () => {
  const series = Array.from({ length: 5 }, (_, index) => ({ name: `${index}`, values: [1, 1] }));
  expect(() => drawRowChart({ ...ROWS, series })).toThrow('4 series');
});
