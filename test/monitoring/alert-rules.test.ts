// The alert rules in deploy/prometheus: what they read exists, and their unit tests pass in Debian's promtool.
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDoc } from '../docs/section.ts';
import { isPrometheusInstalled, runPromtool } from '../servers/prometheus.ts';
import { listExportedMetrics } from './exported-metrics.ts';
import { findUnknownNames, findUsedNames } from './promql.ts';
import { accelerate, listAlerts, readRules, RULES_FILE } from './rules-file.ts';

const ALERTS = listAlerts();
const NAMES = ALERTS.map(({ name }) => name);
const TESTS_FOLDER = path.join(path.dirname(RULES_FILE), 'tests');
/** Promtool evaluates every rule for every minute of each unit test. */
const TESTS_LIMIT_MS = 120_000;
const isAbsent = !isPrometheusInstalled();
const SKIPPED = isAbsent ? ' (skipped: the package prometheus is not installed)' : '';

let exported: ReadonlyMap<string, ReadonlySet<string>>;
let folder: string;
let testFiles: string[];

beforeAll(async () => {
  exported = await listExportedMetrics();
  testFiles = (await readdir(TESTS_FOLDER)).filter((name) => name.endsWith('.yml'));
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-rules-'));
  await mkdir(path.join(folder, 'tests'));
  for (const name of testFiles) await copyFile(path.join(TESTS_FOLDER, name), path.join(folder, 'tests', name));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The unit tests in these files, applied to other rules. */
async function testRules(rules: string, files = testFiles): Promise<{ isCorrect: boolean; output: string }> {
  await writeFile(path.join(folder, path.basename(RULES_FILE)), rules);
  return runPromtool(['test', 'rules', ...files.map((name) => path.join(folder, 'tests', name))]);
}

async function listFilesAbout(alert: string): Promise<string[]> {
  const texts = await Promise.all(testFiles.map((name) => readFile(path.join(TESTS_FOLDER, name), 'utf8')));
  return testFiles.filter((_, index) => texts[index]?.includes(`alertname: ${alert}\n`) === true);
}

test('every alert has its own name and a known severity', () => {
  expect(ALERTS.length).toBeGreaterThanOrEqual(16);
  expect(new Set(NAMES).size).toBe(NAMES.length);
  expect(ALERTS.filter(({ severity }) => !['critical', 'warning'].includes(severity))).toEqual([]);
});

test.each(ALERTS)('$name reads only metrics and labels that the service exports', ({ expression }) => {
  expect(findUsedNames(expression).metrics.length).toBeGreaterThan(0);
  expect(findUnknownNames(expression, exported)).toEqual([]);
});

test('control: a metric and a label that the service does not export are found', () => {
  const expression = 'max without (node) (rate(waybill_mail{stat=~"by(x)", state="a"}[5m])) > bool 1 offset 5m';
  expect(findUnknownNames(expression, exported)).toEqual([
    'no metric waybill_mail',
    'no label stat',
    'no label state',
    'no label node',
  ]);
  expect(findUnknownNames('sum by (le) (waybill_http_request_seconds_bucket) and on (job) up', exported)).toEqual([]);
});

test('docs/monitoring.md lists every alert, and each metric that it says to alert on has one', () => {
  const [, table = ''] = /\| alert \| metric \| fires when \|\n\| --- \| --- \| --- \|\n((?:\|.*\n)+)/.exec(
    readDoc('docs/monitoring.md'),
  ) ?? ['', ''];
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.slice(1, -1).split(' | '));
  expect(rows.map(([alert = '']) => /\[(\w+)\]/.exec(alert)?.[1])).toEqual(NAMES);
  const links = rows.map(([alert = '']) => `docs/${/\]\(([^)]+)\)/.exec(alert)?.[1] ?? ''}`);
  expect(links).toEqual(ALERTS.map(({ runbook }) => runbook));
  for (const [index, [, metrics = '']] of rows.entries()) {
    const listed = [...metrics.matchAll(/`(\w+)/g)].map(([, name]) => name);
    const used = findUsedNames(ALERTS[index]?.expression ?? '').metrics;
    expect([...new Set(used)].map((name) => name.replace(/_(bucket|count)$/, ''))).toEqual(listed);
  }
});

test('every alert has a unit test in which it fires and one in which it does not', async () => {
  const texts = await Promise.all(testFiles.map((name) => readFile(path.join(TESTS_FOLDER, name), 'utf8')));
  const cases = texts.join('\n').split('- alertname: ').slice(1);
  for (const name of NAMES) {
    const own = cases.filter((text) => text.startsWith(`${name}\n`));
    expect(own.filter((text) => text.includes('exp_labels:')).map(() => name)).toContain(name);
    expect(own.filter((text) => text.includes('exp_alerts: []')).map(() => name)).toContain(name);
  }
});

test('the accelerated rules differ only in durations', () => {
  const faster = accelerate(readRules(), 150);
  expect(faster).toContain('for: 400ms\n');
  expect(faster).toContain('[2000ms]');
  expect(faster).toContain('offset 12000ms)');
  const durations = /(\bfor: |\[|offset )\d+(ms|[smh])/g;
  expect(faster.replaceAll(durations, '$1')).toBe(readRules().replaceAll(durations, '$1'));
  expect(faster.match(/(\bfor: |\[|offset )\d+[smh]\b/g)).toBeNull();
});

test.skipIf(isAbsent)(
  `promtool accepts the rules and all unit tests pass${SKIPPED}`,
  async () => {
    const checked = await runPromtool(['check', 'rules', '--lint-fatal', RULES_FILE]);
    expect(checked).toEqual({ isCorrect: true, output: expect.stringContaining(`${NAMES.length} rules found`) });
    expect(await testRules(readRules())).toMatchObject({ isCorrect: true });
  },
  TESTS_LIMIT_MS,
);

test.skipIf(isAbsent)(
  `control: the unit tests fail if any one of the alerts never fires${SKIPPED}`,
  async () => {
    for (const { name } of ALERTS) {
      const [before = '', after = ''] = readRules().split(`- alert: ${name}\n`);
      const form = /^ {8}expr: (?:\|\n(?: {10}.*\n)+|.+\n)/;
      const broken = `${before}- alert: ${name}\n${after.replace(form, '        expr: vector(0) > 0\n')}`;
      expect(listAlerts(broken).find((alert) => alert.name === name)?.expression).toBe('vector(0) > 0');
      const { isCorrect, output } = await testRules(broken, await listFilesAbout(name));
      expect({ name, isCorrect, isNamed: output.includes(`alertname: ${name}`) }).toEqual({
        name,
        isCorrect: false,
        isNamed: true,
      });
    }
  },
  TESTS_LIMIT_MS,
);
