// The report as one self-contained page, without scripts or external fonts and images.
import { countOf, formatCount } from '../../src/domain/counts.ts';
import { escapeXml } from '../../harness/charts/svg.ts';
import { KINDS, type KindKey } from '../kinds.ts';
import type { EventFigures, KindFigures } from '../checks/figures.ts';
import type { CheckResult, Report } from './report.ts';
import { STYLE } from './style.ts';
import { describeCount, describeVolume, showSeconds } from './tables.ts';
import { drawTimeline, type Timeline } from './timeline.ts';

const MAX_SHOWN = 10;

export function makePage(report: Report): string {
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<title>Failover rehearsal</title>',
    `<style>${STYLE}</style></head><body><main>`,
    header(report),
    kinds(report),
    checks(report),
    controls(report),
    events(report),
    '</main></body></html>\n',
  ].join('\n');
}

function header(report: Report): string {
  const broken = report.checks.filter(({ found, isJudged }) => isJudged && found.length > 0).length;
  const missed = report.controls.filter(({ isCaught, obstacle }) => !isCaught && obstacle === undefined).length;
  const verdict = [
    broken === 0 ? good('Every check holds.') : bad(`${countOf(broken, 'check')} failed.`),
    ...(report.controls.length === 0
      ? []
      : [missed === 0 ? good('Every control was caught.') : bad(`${countOf(missed, 'control')} not caught.`)]),
  ];
  return `<header><p class="kind">Failover rehearsal</p><h1>${countOf(report.events.length, 'event')}, three members, three nodes</h1>
<p class="verdict">${verdict.join(' ')}</p>
<p class="note">${escapeXml(describeVolume(report))} Seed ${report.seed}. ${escapeXml(report.machine)}</p></header>`;
}

function good(text: string): string {
  return `<span class="good">${text}</span>`;
}

function bad(text: string): string {
  return `<span class="bad">${text}</span>`;
}

function kinds({ kinds: all, skipped, deadlineMs }: Report): string {
  const rows = all.map(kindRow);
  const missing = skipped.map(
    ({ key, obstacle }) =>
      `<tr><th scope="row">${escapeXml(KINDS[key].kind.title)}</th><td colspan="8">skipped: ${escapeXml(obstacle)}</td></tr>`,
  );
  return `<section><h2>Kinds of events</h2>
<p class="note">Without intake: the longest time between two acknowledged orders. Detection: until Patroni names another primary.
Beyond it: time without intake that is neither detection nor a time in which no standby could confirm a commit. A request may take
${showSeconds(deadlineMs)}.</p>
<div class="scroll"><table><thead><tr><th>Event</th>${[
    'Count',
    'Without intake, median',
    'Longest',
    'Detection, median',
    'Longest',
    'Beyond it',
    'Failed requests',
    'Slowest answer',
  ]
    .map((title) => `<th class="number">${title}</th>`)
    .join('')}</tr></thead>
<tbody>${[...rows, ...missing].join('')}</tbody></table></div></section>`;
}

function kindRow({ key, title, count, gapMs, detectionMs, beyondMs, failed, slowestMs }: KindFigures): string {
  const cells = [
    formatCount(count),
    showSeconds(gapMs.median),
    showSeconds(gapMs.max),
    detectionMs === undefined ? '' : showSeconds(detectionMs.median),
    detectionMs === undefined ? '' : showSeconds(detectionMs.max),
    beyondMs === undefined ? '' : showSeconds(Math.max(0, beyondMs)),
    formatCount(failed),
    showSeconds(slowestMs),
  ].map((text) => `<td class="number">${text}</td>`);
  return `<tr><th scope="row"><a href="#${key}">${escapeXml(title)}</a></th>${cells.join('')}</tr>`;
}

function checks({ checks: all, controls }: Report): string {
  const rows = all.map((check) => checkRow(check, controls));
  return `<section><h2>Checks</h2>
<p class="note">Compares what clients and receivers recorded with the database. Controls are deliberate mistakes that the check must catch.</p>
<div class="scroll"><table><thead><tr><th>Check</th><th>Result</th><th>Controls</th></tr></thead><tbody>${rows.join('')}</tbody></table></div></section>`;
}

function checkRow({ name, found, isJudged }: CheckResult, controls: Report['controls']): string {
  const shown = found.slice(0, MAX_SHOWN).map((text) => `<li>${escapeXml(text)}</li>`);
  const list = shown.length === 0 ? '' : `<ul>${shown.join('')}</ul>`;
  const result = found.length === 0 ? good('holds') : bad(describeCount(found.length, isJudged));
  const own = controls.filter(({ invariant, obstacle }) => invariant === name && obstacle === undefined);
  const caught = own.filter(({ isCaught }) => isCaught).length;
  const shownControls = own.length === 0 ? '' : `${caught} of ${own.length} caught`;
  return `<tr><th scope="row">${escapeXml(capital(name))}${list}</th><td>${result}</td><td>${shownControls}</td></tr>`;
}

function controls({ controls: all }: Report): string {
  if (all.length === 0) return '';
  const rows = all.map(({ what, isCaught, obstacle }) => {
    const result = obstacle === undefined ? (isCaught ? good('caught') : bad('not caught')) : escapeXml(obstacle);
    return `<tr><th scope="row">${escapeXml(capital(what))}</th><td>${result}</td></tr>`;
  });
  return `<section><h2>Controls</h2><div class="scroll"><table><tbody>${rows.join('')}</tbody></table></div></section>`;
}

function events({ events: all, timelines }: Report): string {
  const byNumber = new Map(timelines.map((timeline) => [timeline.number, timeline]));
  const groups = Map.groupBy(all, ({ event }) => event.key);
  const sections = [...groups].map(([key, own]) => {
    const drawn = own.map((figures) => eventFigure(figures, byNumber.get(figures.event.number)));
    return group(key, drawn);
  });
  return `<section><h2>Every event</h2>
<ul class="legend"><li><span class="key key0"></span>acknowledged orders</li><li><span class="key key1"></span>refused orders, cut off where many are repeated at once</li><li><span class="key key2"></span>step of the event</li></ul>
${sections.join('\n')}</section>`;
}

/** The first of each kind is shown, the others when the group is opened. */
function group(key: KindKey, drawn: readonly string[]): string {
  const [first = '', ...others] = drawn;
  const rest =
    others.length === 0
      ? ''
      : `<details><summary>${others.length} more</summary><div class="charts">${others.join('')}</div></details>`;
  return `<h3 id="${key}">${escapeXml(KINDS[key].kind.title)}</h3><div class="charts">${first}</div>${rest}`;
}

function eventFigure(figures: EventFigures, timeline: Timeline | undefined): string {
  if (timeline === undefined) return '';
  const { event, gapMs, failed, slowestMs, acknowledged } = figures;
  const steps = timeline.marks.map(({ at, text }) => `<li>${showSeconds(at)}: ${escapeXml(text)}</li>`);
  const facts = [
    `${showSeconds(gapMs)} without intake`,
    ...(event.detectionMs === undefined ? [] : [`detection ${showSeconds(event.detectionMs)}`]),
    `${formatCount(acknowledged)} acknowledged`,
    `${formatCount(failed)} failed`,
    `slowest ${showSeconds(slowestMs)}`,
  ];
  return `<figure><figcaption><h4>Event ${event.number}</h4><p class="note">${facts.join(', ')}</p></figcaption>${drawTimeline(timeline, facts.join(', '))}
<ol class="steps">${steps.join('')}</ol></figure>`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
