import { expect, test } from 'vitest';
import { drawBarChart, type BarChart } from './bars.ts';

const CHART: BarChart = {
  title: 'Orders & webhooks',
  unit: 'orders a second',
  note: 'longer is better',
  groups: [
    {
      label: '',
      bars: [
        { label: 'Waybill', value: 4000, isOurs: true },
        { label: 'on <other>', value: 1000, isOurs: false },
      ],
    },
  ],
};

test('bar lengths are proportional to their values', () => {
  const lengths = [...drawBarChart(CHART).matchAll(/<rect [^>]*width="([\d.]+)"/g)].map((match) => Number(match[1]));
  expect(lengths).toHaveLength(2);
  expect((lengths[0] ?? 0) / (lengths[1] ?? 1)).toBeCloseTo(4, 2);
});

test('a text alternative states the values of the bars', () => {
  const svg = drawBarChart(CHART);
  expect(svg).toContain('role="img" aria-labelledby="title desc"');
  expect(svg).toContain('<title id="title">Orders &amp; webhooks</title>');
  expect(svg).toContain(
    '<desc id="desc">orders a second; longer is better. Waybill 4,000, on &lt;other&gt; 1,000.</desc>',
  );
});

test('a chart is readable on light and on dark pages', () => {
  const [light = '', dark = ''] = drawBarChart(CHART).split('@media (prefers-color-scheme: dark)');
  expect(light).toContain('fill: #1f2328');
  expect(dark).toContain('text { fill: #f0f6fc; }');
  expect(drawBarChart(CHART)).not.toContain('background');
});

test('text cannot escape its element in the image', () => {
  expect(drawBarChart(CHART)).not.toContain('<other');
});

test('groups are stacked, and the image is tall enough for all of them', () => {
  const group = CHART.groups[0] ?? { label: '', bars: [] };
  const svg = drawBarChart({
    ...CHART,
    groups: [
      { ...group, label: 'first' },
      { ...group, label: 'second' },
    ],
  });
  const tops = [...svg.matchAll(/<rect [^>]*y="(\d+)"/g)].map((match) => Number(match[1]));
  expect(tops).toEqual(tops.toSorted((one, other) => one - other));
  expect(new Set(tops).size).toBe(4);
  expect(Number(/ height="(\d+)"/.exec(svg)?.[1])).toBeGreaterThan((tops.at(-1) ?? 0) + 20);
});

test('a chart without data is not drawn', () => {
  expect(() => drawBarChart({ ...CHART, groups: [] })).toThrow('above zero');
});
