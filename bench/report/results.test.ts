import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { formatCount } from '../../src/domain/counts.ts';
import { drawCharts } from './result-charts.ts';
import type { Machine } from '../../harness/measure/machine.ts';
import { Report, type Result } from './report.ts';
import { describeResults, keepResults, mergeResults } from './results.ts';

const MACHINE: Machine = {
  cores: 2,
  processor: 'some',
  memoryGib: 24,
  fdatasyncMs: 0.1,
  node: '24.1.0',
  postgres: '18.4',
};

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0)) await step();
});

function measure(bench: string, figures: Record<string, number>): Result[] {
  const report = new Report({ [`${bench}.ratio`]: { is: 'at least', value: 3 } });
  report.begin(bench);
  for (const [name, value] of Object.entries(figures)) report.add(`${bench}.${name}`, 'things', value);
  return report.results();
}

const RATES = { 'waybill.rate': 3000, 'pgboss.rate': 900, 'graphile.rate': 800 };

test('a run replaces the figures of the benches that it ran and keeps the others', () => {
  const earlier = { machine: MACHINE, results: [...measure('intake', { rate: 1 }), ...measure('latency', { p50: 2 })] };
  const merged = mergeResults(earlier, {
    machine: { ...MACHINE, fdatasyncMs: 0.2 },
    results: measure('intake', { other: 5 }),
  });
  expect(merged.results.map(({ name }) => name)).toEqual(['latency.p50', 'intake.other']);
  expect(merged.machine.fdatasyncMs).toBe(0.2);
});

test('figures of two machines never appear side by side', () => {
  const earlier = { machine: { ...MACHINE, cores: 8 }, results: measure('intake', { rate: 1 }) };
  const run = { machine: MACHINE, results: measure('latency', { p50: 2 }) };
  expect(mergeResults(earlier, run)).toEqual(run);
});

test('a chart is drawn only if everything that it compares was measured', () => {
  expect([...drawCharts(measure('versus', RATES)).keys()]).toEqual(['versus-rate.svg']);
  expect([...drawCharts(measure('versus', { 'waybill.rate': 3000 })).keys()]).toEqual([]);
});

test('the growth chart shows the levels that were measured', () => {
  const levels = { 'claim.0.p99': 2, 'claim.500.p99': 3, 'intake.0.p99': 4, 'intake.500.p99': 5 };
  const svg = drawCharts(measure('growth', levels)).get('growth.svg') ?? '';
  expect(svg).toContain('claiming due deliveries: 0 2.00, 500 3.00. accepting an order: 0 4.00, 500 5.00.');
});

test('the table names the machine and marks missed targets', () => {
  const text = describeResults({ machine: MACHINE, results: measure('versus', { ratio: 2.5, 'waybill.rate': 3000 }) });
  expect(text).toContain('2 cores (some), 24 GiB of memory, 0.10 ms for an fdatasync, Node 24.1.0, PostgreSQL 18.4.');
  expect(text).toContain('| `versus.ratio` | 2.50 | 2.50 | 2.50 | things | at least 3 | **not met** |');
});

test('stored results are a table, JSON and charts in one folder, and the next run adds to them', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-results-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  await keepResults(folder, { machine: MACHINE, results: measure('versus', RATES) });
  await keepResults(folder, { machine: MACHINE, results: measure('intake', { rate: 1 }) });
  expect((await readdir(folder)).toSorted()).toEqual(['results.json', 'results.md', 'versus-rate.svg']);
  const kept = JSON.parse(await readFile(path.join(folder, 'results.json'), 'utf8')) as { results: Result[] };
  expect(kept.results.map(({ name }) => name)).toEqual([
    'versus.waybill.rate',
    'versus.pgboss.rate',
    'versus.graphile.rate',
    'intake.rate',
  ]);
});

test('the README states the figures of the chart that it shows', async () => {
  const read = (file: string): Promise<string> => readFile(path.join(import.meta.dirname, '..', file), 'utf8');
  const { results } = JSON.parse(await read('results/results.json')) as { results: Result[] };
  const rateOf = (name: string): string =>
    formatCount(Math.round(results.find((result) => result.name === `versus.${name}.rate`)?.value ?? 0));
  const words = `Waybill ${rateOf('waybill')}, on pg-boss ${rateOf('pgboss')}, on graphile-worker ${rateOf('graphile')}`;
  expect(await read('../README.md')).toContain(`![Orders per second: ${words}](bench/results/versus-rate.svg)`);
});
