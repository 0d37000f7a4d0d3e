// The report as one self-contained page, without scripts or external fonts and images.
import { countOf, formatCount } from '../../src/domain/counts.ts';
import { escapeXml, round } from '../../harness/charts/svg.ts';
import { KINDS, type KindKey } from '../kinds.ts';
import type { EventFigures, KindFigures } from './figures.ts';
import type { Check, Report } from './report.ts';
import { STYLE } from './style.ts';
import { describeVolume, showSeconds } from './tables.ts';
import type { Timeline } from './timeline.ts';

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
  const broken = report.checks.filter(({ found }) => found.length > 0).length;
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

function checkRow({ name, found }: Check, controls: Report['controls']): string {
  const shown = found.slice(0, MAX_SHOWN).map((text) => `<li>${escapeXml(text)}</li>`);
  const list = shown.length === 0 ? '' : `<ul>${shown.join('')}</ul>`;
  const result = found.length === 0 ? good('holds') : bad(countOf(found.length, 'violation'));
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
<ul class="legend"><li><span class="key key0"></span>acknowledged orders</li><li><span class="key key1"></span>refused orders</li><li><span class="key key2"></span>step of the event</li></ul>
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
  return `<figure><figcaption><h4>Event ${event.number}</h4><p class="note">${facts.join(', ')}</p></figcaption>${draw(timeline, facts)}
<ol class="steps">${steps.join('')}</ol></figure>`;
}

const WIDTH = 480;
const HEIGHT = 110;
const BASE = 88;

function draw({ number, acknowledged, refused, marks, stepMs }: Timeline, facts: readonly string[]): string {
  const highest = Math.max(1, ...acknowledged.map((count, step) => count + (refused[step] ?? 0)));
  const stepWidth = WIDTH / acknowledged.length;
  const scale = (BASE - 8) / highest;
  const bars = acknowledged.flatMap((count, step) => {
    const x = step * stepWidth;
    const failures = refused[step] ?? 0;
    return [
      bar('series0', { x, width: stepWidth, height: count * scale, bottom: BASE }),
      bar('series1', { x, width: stepWidth, height: failures * scale, bottom: BASE - count * scale }),
    ];
  });
  const lines = marks.map(({ at }) => {
    const x = round((at / stepMs) * stepWidth);
    return `<line class="mark" x1="${x}" x2="${x}" y1="0" y2="${BASE}"/>`;
  });
  const seconds = (acknowledged.length * stepMs) / 1_000;
  const labels = [0, seconds / 2, seconds].map((second, index) => {
    const anchor = ['start', 'middle', 'end'][index];
    return `<text class="axis" x="${round((second / seconds) * WIDTH)}" y="${HEIGHT - 6}" text-anchor="${anchor}">${second.toFixed(1)} s</text>`;
  });
  const label = escapeXml(`Event ${number}: ${facts.join(', ')}`);
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}"><line class="grid" x1="0" x2="${WIDTH}" y1="${BASE}" y2="${BASE}"/>${bars.join('')}${lines.join('')}${labels.join('')}</svg>`;
}

function bar(
  style: string,
  { x, width, height, bottom }: { x: number; width: number; height: number; bottom: number },
) {
  if (height <= 0) return '';
  return `<rect class="${style}" x="${round(x)}" y="${round(bottom - height)}" width="${round(Math.max(0.5, width - 0.5))}" height="${round(height)}"/>`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
