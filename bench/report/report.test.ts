import { expect, test } from 'vitest';
import { Report } from './report.ts';

test('a figure is the median of its repetitions, compared with its target in the right direction', () => {
  const report = new Report({
    'speed.ratio': { is: 'at least', value: 3 },
    'wait.p99': { is: 'at most', value: 1.2 },
  });
  report.begin('speed');
  for (const value of [2, 4, 3.5]) report.add('speed.ratio', 'of it', value);
  report.begin('wait');
  report.add('wait.p99', 'ms', 1.3);
  report.add('wait.p50', 'ms', 1);
  expect(report.results()).toEqual([
    expect.objectContaining({ name: 'speed.ratio', bench: 'speed', value: 3.5, target: 3, met: true }),
    expect.objectContaining({ name: 'wait.p99', bench: 'wait', value: 1.3, target: 1.2, met: false }),
    expect.objectContaining({ name: 'wait.p50', bench: 'wait', value: 1, target: null, met: null }),
  ]);
  expect(report.table()).toMatch(/speed\.ratio +3\.50 +2\.00 +4\.00 +of it +at least 3 +met/);
  expect(report.table()).toMatch(/wait\.p99 .* at most 1\.2 +NOT MET/);
});

test('figures that this machine cannot measure are left out, and a broken figure stops the bench', () => {
  const report = new Report({});
  report.add('cpu', 's', undefined);
  expect(report.results()).toEqual([]);
  expect(() => report.add('late.p99', 'ms', Number.NaN)).toThrow('late.p99 could not be measured');
});

test('latencies are reported with their sample count, and omitted if every sample was disturbed', () => {
  const report = new Report({});
  report.addLatencies('till', Float64Array.of(3, 1, 2), 4);
  report.addLatencies('till', new Float64Array(0), 4);
  const values = report.results().map(({ name, repetitions }) => [name, repetitions]);
  expect(Object.fromEntries(values)).toEqual({ 'till.p50': [2], 'till.p99': [3], 'till.undisturbed': [75, 0] });
});
