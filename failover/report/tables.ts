// The report as text.
import { countOf, formatCount } from '../../src/domain/counts.ts';
import { formatTable } from '../../harness/text-table.ts';
import { KINDS } from '../kinds.ts';
import type { KindFigures } from '../checks/figures.ts';
import type { Report } from './report.ts';

const MAX_SHOWN = 5;

export function describeReport(report: Report): string {
  return [
    describeVolume(report),
    formatTable(KIND_HEAD, report.kinds.map(rowOf)),
    ...report.skipped.map(({ key, obstacle }) => `Skipped: ${KINDS[key].kind.title}: ${obstacle}`),
    formatTable(
      ['check', 'result', 'controls'],
      report.checks.map(({ name, found, isJudged }) => [
        name,
        found.length === 0 ? 'holds' : describeCount(found.length, isJudged),
        describeControlsOf(report, name),
      ]),
    ),
    ...report.checks.flatMap(listFound),
    ...report.controls.filter(({ isCaught }) => !isCaught).map(({ what }) => `NOT CAUGHT: ${what}`),
  ].join('\n\n');
}

const KIND_HEAD = [
  'event',
  'count',
  'without intake: median',
  'longest',
  "Patroni's detection: longest",
  'beyond it: longest',
  'failed requests',
  'slowest answer',
];

function rowOf({ title, count, gapMs, detectionMs, beyondMs, failed, slowestMs }: KindFigures): string[] {
  return [
    title,
    String(count),
    showSeconds(gapMs.median),
    showSeconds(gapMs.max),
    detectionMs === undefined ? '' : showSeconds(detectionMs.max),
    beyondMs === undefined ? '' : showSeconds(Math.max(0, beyondMs)),
    formatCount(failed),
    showSeconds(slowestMs),
  ];
}

export function showSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

export function describeVolume({ events, volume, ordersPerSecond, tookSeconds }: Report): string {
  const { placed, delivered, requests, webhooks } = volume;
  return (
    `${countOf(events.length, 'event')} in ${Math.round(tookSeconds / 60)} min at ${ordersPerSecond} orders per second: ` +
    `${formatCount(placed)} orders acknowledged, ${formatCount(delivered)} of them delivered through the pages, ` +
    `${formatCount(requests)} requests, ${formatCount(webhooks)} webhooks.`
  );
}

function describeControlsOf({ controls }: Report, name: string): string {
  const own = controls.filter(({ invariant, obstacle }) => invariant === name && obstacle === undefined);
  return own.length === 0 ? '' : `${own.filter(({ isCaught }) => isCaught).length} of ${own.length} caught`;
}

/** On a busy machine, times alone prove nothing. */
export function describeCount(count: number, isJudged: boolean): string {
  return isJudged ? countOf(count, 'violation').toUpperCase() : `${count} over the limit, not judged`;
}

function listFound({ name, found }: Report['checks'][number]): string[] {
  if (found.length === 0) return [];
  const shown = found.slice(0, MAX_SHOWN).map((text) => `  ${name}: ${text}`);
  if (found.length > MAX_SHOWN) shown.push(`  and ${found.length - MAX_SHOWN} more`);
  return [shown.join('\n')];
}
