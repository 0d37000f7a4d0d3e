// The report as one self-contained page, without scripts or external fonts and images.
import { countBins, drawColumns, drawShares } from '../../harness/charts/columns.ts';
import { escapeXml, showNumber } from '../../harness/charts/svg.ts';
import { countOf } from '../../src/domain/counts.ts';
import { formatUtc } from '../../src/domain/time.ts';
import type { Check } from './checks.ts';
import type { Report } from './conclude.ts';
import type { CourierFigures } from './figures.ts';
import type { Measure } from './lateness.ts';
import { STYLE } from './style.ts';
import type { Spread } from './spread.ts';

const MAX_SHOWN = 10;

export function makePage(report: Report): string {
  const sections = [
    header(report),
    tiles(report),
    charts(report),
    lateness(report),
    checks(report.checks),
    figures(report),
  ];
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>City simulation: ${escapeXml(report.day)}</title>`,
    `<style>${STYLE}</style></head><body><main>`,
    ...sections,
    '</main></body></html>\n',
  ].join('\n');
}

function header(report: Report): string {
  const verdicts = [
    report.isLost ? bad('Orders or webhooks were lost.') : good('No orders or webhooks were lost.'),
    report.lateness.isLate ? bad('Waybill caused delays.') : good('Waybill caused no delays.'),
  ];
  const hours = `${report.opensAt.slice(11, 16)} to ${report.closedAt.slice(11, 16)}`;
  return `<header><p class="kind">City simulation</p><h1>${escapeXml(capital(report.day))}</h1>
<p class="verdict">${verdicts.join(' ')}</p>
<p class="note">${hours} at ${report.speed} times real speed, in ${showDuration(report.tookSeconds)}. ${report.restaurants} restaurants,
${report.figures.couriers.length} couriers. Orders came in through the integrator API; kitchens and couriers used the panel API. ${escapeXml(report.machine)}</p></header>`;
}

function good(text: string): string {
  return `<span class="good">${text}</span>`;
}

function bad(text: string): string {
  return `<span class="bad">${text}</span>`;
}

function tiles({ figures, webhooks, oursMs, speed }: Report): string {
  const bundled = figures.bundling.withOne + figures.bundling.withMore;
  const canceled = Object.values(figures.canceledBy).reduce((sum, count) => sum + count, 0);
  return `<section class="tiles">${[
    tile('Delivered', `${figures.delivered} of ${figures.placed}`, `${canceled} canceled`),
    tile(
      'Click to door',
      `${showNumber(figures.clickToDoor.p50)} min`,
      `90% within ${showNumber(figures.clickToDoor.p90)} min`,
    ),
    tile(
      'Ready to pickup',
      `${showNumber(figures.readyToPickup.p50)} min`,
      `90% within ${showNumber(figures.readyToPickup.p90)} min`,
    ),
    tile('Shared trips', percent(bundled / Math.max(1, figures.delivered)), `${bundled} orders`),
    tile(
      'Courier utilization',
      percent(figures.courierUse),
      `${showNumber(figures.ordersPerCourierHour)} orders per hour on duty`,
    ),
    tile(
      'Webhooks',
      showNumber(webhooks.requests),
      `median ${showMs(webhooks.latencyMs.p50)}, 99% within ${showMs(webhooks.latencyMs.p99)}`,
    ),
    tile(
      'Time in Waybill',
      showMs(oursMs.p50),
      `of an order's time is spent in Waybill; ${showNumber((oursMs.p50 * speed) / 1_000)} s in simulated time`,
    ),
  ].join('')}</section>`;
}

function tile(name: string, value: string, note: string): string {
  return `<div class="tile"><h2>${name}</h2><p class="value">${escapeXml(value)}</p><p class="note">${escapeXml(note)}</p></div>`;
}

function charts({ figures, webhooks }: Report): string {
  const histogram = (title: string, values: readonly number[], step: number): string => {
    const columns = countBins(values, step, 40).map(({ from, count }) => ({
      label: showNumber(from),
      values: [count],
    }));
    return drawColumns({ title, unit: 'minutes', labelEvery: Math.ceil(columns.length / 8), columns });
  };
  const overDay = figures.halfHours.map(({ from, placed, delivered }) => ({
    label: formatUtc(from).slice(11, 16),
    values: [placed, delivered],
  }));
  const { alone, withOne, withMore } = figures.bundling;
  const shares = [
    { label: 'alone', value: alone },
    { label: 'with one other', value: withOne },
    { label: 'with several others', value: withMore },
  ];
  return `<section class="charts">${[
    figure(
      'Orders over the day',
      'Per half hour, in simulated time.',
      drawColumns({
        title: 'Orders placed and delivered per half hour',
        unit: 'half hours',
        labelEvery: Math.ceil(overDay.length / 8),
        columns: overDay,
        isGrouped: true,
      }) + legend(['placed', 'delivered']),
    ),
    figure(
      'Click to door',
      'Delivered orders by minutes from placing to drop-off.',
      histogram('Delivered orders by minutes from click to door', figures.clickToDoorMinutes, 5),
    ),
    figure(
      'Ready to pickup',
      'Delivered orders by minutes from food ready to pickup.',
      histogram('Delivered orders by minutes from ready to pickup', figures.readyToPickupMinutes, 1),
    ),
    figure(
      'Webhook latency',
      'From the change to its arrival, in real milliseconds.',
      drawLatencies(webhooks.latenciesMs),
    ),
    figure(
      'Shared trips',
      'Delivered orders by the number of other orders in the bag.',
      drawShares('Orders alone, with one other, with several others', shares) +
        legend(shares.map(({ label, value }) => `${label}: ${value}`)),
    ),
    figure(
      'Courier utilization',
      'Couriers by the share of their time on duty with an accepted order.',
      drawUse(figures.couriers),
    ),
  ].join('')}</section>`;
}

function drawUse(couriers: readonly CourierFigures[]): string {
  const shares = couriers.map(({ busyMinutes, onDutyMinutes }) => (100 * busyMinutes) / Math.max(1, onDutyMinutes));
  const columns = Array.from({ length: 10 }, (_, index) => {
    const isWithin = (share: number): boolean => Math.min(9, Math.floor(share / 10)) === index;
    return { label: String(index * 10), values: [shares.filter(isWithin).length] };
  });
  return drawColumns({ title: 'Couriers by utilization', unit: '% of time on duty', labelEvery: 1, columns });
}

/** Bin limits double, because a few values are far above the rest. */
function drawLatencies(valuesMs: readonly number[]): string {
  const limits = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, Infinity];
  const columns = limits.map((limit, index) => {
    const from = limits[index - 1] ?? 0;
    const count = valuesMs.filter((value) => value >= from && value < limit).length;
    return { label: limit === Infinity ? 'more' : `< ${limit}`, values: [count] };
  });
  return drawColumns({ title: 'Webhooks by latency', unit: 'milliseconds', labelEvery: 2, columns });
}

function figure(title: string, note: string, content: string): string {
  return `<figure><figcaption><h2>${title}</h2><p class="note">${note}</p></figcaption>${content}</figure>`;
}

function legend(labels: readonly string[]): string {
  const items = labels.map((label, index) => `<li><span class="key key${index}"></span>${escapeXml(label)}</li>`);
  return `<ul class="legend">${items.join('')}</ul>`;
}

function lateness({ lateness: { measures, failures }, speed }: Report): string {
  const rows = measures.map((measure) => latenessRow(measure, speed));
  const extra = failures.slice(0, MAX_SHOWN).map((text) => `<li>${escapeXml(text)}</li>`);
  return `<section><h2>Delays caused by Waybill</h2>
<p class="note">How long users waited for the software, as opposed to a kitchen, a courier or the road. Measured in real time, which depends on
the machine; in simulated time the same wait is ${speed} times as long. No single wait may exceed its limit.</p>
<div class="scroll"><table><thead><tr><th>Wait</th><th class="number">Count</th><th class="number">Median</th><th class="number">p99</th><th class="number">Max</th><th class="number">Simulated time</th><th class="number">Limit</th><th>Result</th></tr></thead>
<tbody>${rows.join('')}</tbody></table></div>
<p class="${failures.length === 0 ? 'note' : 'bad'}">Offers rejected although accepted in time, failed background work, and repeated requests: ${failures.length}.</p>
${extra.length === 0 ? '' : `<ul>${extra.join('')}</ul>`}</section>`;
}

function latenessRow({ name, meaning, limitMs, spread, late }: Measure, speed: number): string {
  const seconds = `${showNumber((spread.max * speed) / 1_000)} s`;
  return `<tr><th scope="row">${escapeXml(capital(name))}<span class="note">${escapeXml(meaning)}</span></th>
<td class="number">${showNumber(spread.count)}</td><td class="number">${showMs(spread.p50)}</td><td class="number">${showMs(spread.p99)}</td>
<td class="number">${showMs(spread.max)}</td><td class="number">${seconds}</td><td class="number">${showMs(limitMs)}</td>
<td class="${late === 0 ? 'good' : 'bad'}">${late === 0 ? 'within limit' : `${late} over limit`}</td></tr>`;
}

function checks(all: readonly Check[]): string {
  const rows = all.map(({ name, found }) => {
    const shown = found.slice(0, MAX_SHOWN).map((text) => `<li>${escapeXml(text)}</li>`);
    const list = shown.length === 0 ? '' : `<ul>${shown.join('')}</ul>`;
    return `<tr><th scope="row">${escapeXml(capital(name))}${list}</th><td class="${found.length === 0 ? 'good' : 'bad'}">${found.length === 0 ? 'holds' : countOf(found.length, 'violation')}</td></tr>`;
  });
  return `<section><h2>Consistency checks</h2>
<p class="note">Compares acknowledged requests, stored data, the events feed and what receivers got.</p>
<div class="scroll"><table><tbody>${rows.join('')}</tbody></table></div></section>`;
}

function figures({ figures, webhooks, oursMs }: Report): string {
  const spreads: [string, Spread, string][] = [
    ['Click to door', figures.clickToDoor, 'min'],
    ['Ready to pickup', figures.readyToPickup, 'min'],
    ['Webhook latency', webhooks.latencyMs, 'ms'],
    ['Time in Waybill per order', oursMs, 'ms'],
  ];
  const rows = spreads.map(([name, { count, mean, p50, p90, p99, max }, unit]) => {
    const cells = [mean, p50, p90, p99, max].map((value) => `<td class="number">${showNumber(value)} ${unit}</td>`);
    return `<tr><th scope="row">${name}</th><td class="number">${showNumber(count)}</td>${cells.join('')}</tr>`;
  });
  const canceled = Object.entries(figures.canceledBy).map(([reason, count]) => `${reason} ${count}`);
  const { made, declined, withdrawn } = figures.offers;
  return `<section><h2>Figures</h2><div class="scroll"><table><thead><tr><th></th><th class="number">Count</th><th class="number">Mean</th><th class="number">Median</th><th class="number">p90</th><th class="number">p99</th><th class="number">Max</th></tr></thead>
<tbody>${rows.join('')}</tbody></table></div>
<dl><dt>Offers</dt><dd>${made} made, ${declined} declined, ${withdrawn} withdrawn</dd>
<dt>Canceled</dt><dd>${canceled.length === 0 ? 'none' : escapeXml(canceled.join(', '))}</dd>
<dt>Webhooks</dt><dd>${webhooks.requests} requests for ${webhooks.events} events</dd></dl></section>`;
}

function showMs(ms: number): string {
  return ms >= 1_000 ? `${showNumber(ms / 1_000)} s` : `${Math.round(ms)} ms`;
}

function showDuration(seconds: number): string {
  return seconds < 90 ? `${seconds} seconds` : `${showNumber(seconds / 60)} minutes`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
