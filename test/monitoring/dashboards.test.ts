// The dashboards in deploy/grafana: their form, and that their expressions read what the service exports.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { isPrometheusInstalled, runPromtool } from '../servers/prometheus.ts';
import { DASHBOARD_FILES, fillVariables, listExpressions, readDashboard, type Panel } from './dashboards.ts';
import { listExportedMetrics } from './exported-metrics.ts';
import { findUnknownNames, findUsedNames } from './promql.ts';

const isAbsent = !isPrometheusInstalled();
const SKIPPED = isAbsent ? ' (skipped: the package prometheus is not installed)' : '';

let exported: ReadonlyMap<string, ReadonlySet<string>>;

beforeAll(async () => {
  exported = await listExportedMetrics();
});

const doOverlap = (one: Panel['gridPos'], other: Panel['gridPos']): boolean =>
  one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h;

test('there is one dashboard each for the service, webhooks, planning and the database', () => {
  expect(DASHBOARD_FILES.toSorted()).toEqual(['database.json', 'planning.json', 'service.json', 'webhooks.json']);
  const uids = DASHBOARD_FILES.map((file) => readDashboard(file).uid);
  expect(uids).toEqual(DASHBOARD_FILES.map((file) => `waybill-${path.parse(file).name}`));
});

test.each(DASHBOARD_FILES)('%s: panels have their own ids and places, and only declared variables are used', (file) => {
  const dashboard = readDashboard(file);
  const { panels, templating } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const [index, { gridPos }] of panels.entries()) {
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    expect(panels.slice(index + 1).filter((other) => doOverlap(gridPos, other.gridPos))).toEqual([]);
  }
  const used = listExpressions(dashboard).flatMap((text) => [...text.matchAll(/\$(\w+)/g)].map(([, name]) => name));
  const declared = templating.list.map(({ name }) => name);
  expect(new Set([...used, 'datasource'])).toEqual(
    new Set([...declared, ...(used.includes('__rate_interval') ? ['__rate_interval'] : [])]),
  );
});

test.each(DASHBOARD_FILES)('%s reads only metrics and labels that the service exports', (file) => {
  for (const { title, targets } of readDashboard(file).panels) {
    for (const { expr, legendFormat } of targets) {
      const expression = fillVariables(expr, '5m');
      expect(findUsedNames(expression).metrics.length).toBeGreaterThan(0);
      expect([title, ...findUnknownNames(expression, exported)]).toEqual([title]);
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      const labels = new Set(findUsedNames(expression).metrics.flatMap((name) => [...(exported.get(name) ?? [])]));
      expect([title, ...shown.filter((label) => !labels.has(label))]).toEqual([title]);
    }
  }
});

test('every metric of Waybill is on a dashboard', () => {
  const shown = DASHBOARD_FILES.flatMap((file) => listExpressions(readDashboard(file))).flatMap(
    (expression) => findUsedNames(fillVariables(expression, '5m')).metrics,
  );
  const families = new Set(shown.map((name) => name.replace(/_(bucket|count|sum)$/, '')));
  const own = [...exported.keys()].filter((name) => name.startsWith('waybill_'));
  expect(own.length).toBeGreaterThan(15);
  expect(own.filter((name) => !families.has(name.replace(/_(bucket|count|sum)$/, '')))).toEqual([]);
});

test.skipIf(isAbsent)(`promtool accepts every expression${SKIPPED}`, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-dashboards-'));
  const expressions = DASHBOARD_FILES.flatMap((file) => listExpressions(readDashboard(file)));
  const check = async (texts: readonly string[]) => {
    const rules = texts.map((text, index) => ({ record: `panel:${index}`, expr: fillVariables(text, '5m') }));
    const file = path.join(folder, 'rules.yml');
    // JSON is YAML.
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboards', rules }] }));
    return runPromtool(['check', 'rules', file]);
  };
  expect(await check(expressions)).toEqual({
    isCorrect: true,
    output: expect.stringContaining(`${expressions.length} rules found`),
  });
  // Control.
  expect(await check([...expressions, 'sum by (rate(up[5m])'])).toMatchObject({ isCorrect: false });
  await rm(folder, { recursive: true });
});
