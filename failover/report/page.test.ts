import { expect, test } from 'vitest';
import type { EventRecord } from '../rehearsal.ts';
import type { AnswerLine } from '../stage/answers.ts';
import { concludeReport, type Report, type RunFacts } from './report.ts';
import { makePage } from './page.ts';
import { describeReport } from './tables.ts';

const FACTS: RunFacts = {
  seed: 7,
  ordersPerSecond: 40,
  tookSeconds: 90,
  machine: '2 cores & <little> memory.',
  judgesTimes: true,
};

const SWITCHOVERS: EventRecord[] = [1, 2].map((number) => ({
  key: 'switchover',
  number,
  from: number * 10_000,
  to: number * 10_000 + 5_000,
  marks: [{ at: number * 10_000, text: 'kill -9 of <one>' }],
}));
const EVENTS = SWITCHOVERS.map((event): EventRecord => ({ ...event, key: 'primary-killed', detectionMs: 1_500 }));

function answer(at: number, isIntake: boolean): AnswerLine {
  const seen = { kind: 'order', at, tookMs: 0, isFromBalancer: false, isRepeat: false } as const;
  return isIntake
    ? { ...seen, status: 201, hasRetryAfter: false, isIntake }
    : { ...seen, status: 503, hasRetryAfter: true, isIntake };
}

/** No order is taken in the first two seconds of each event. */
const ANSWERS = Array.from({ length: 200 }, (_, index) => {
  const at = 9_000 + index * 100;
  return answer(at, at % 10_000 >= 2_000);
});

function reportOn(facts: Partial<RunFacts> = {}, events = EVENTS, answers = ANSWERS): Report {
  return concludeWith(true, { facts, events, answers });
}

interface Records {
  facts?: Partial<RunFacts>;
  events?: EventRecord[];
  answers?: AnswerLine[];
  isSettled?: boolean;
}

function concludeWith(isCaught: boolean, records: Records = {}): Report {
  const { facts, events = EVENTS, answers = ANSWERS, isSettled = true } = records;
  const evidence = {
    clients: [],
    arrivals: [],
    orders: [],
    events: [],
    receivers: [],
    crashes: [],
    clockSpeed: { since: 0, factor: 1 },
    clockSteps: [],
    orderlyStops: [],
    isDrained: true,
  };
  const totals = { delivered: 1, abandoned: 0 };
  const rehearsal = { events, answers, evidence, findings: new Map(), totals, isSettled };
  const controls = [{ what: 'a mistake', invariant: 'every signature is valid', isCaught } as const];
  const skipped = [{ key: 'disk-full', obstacle: 'no <root>' } as const];
  return concludeReport({ rehearsals: [rehearsal], skipped, controls }, { ...FACTS, ...facts });
}

test('the page is self-contained: it fetches and runs nothing, and all text is escaped', () => {
  const page = makePage(reportOn());
  expect(page).not.toMatch(/https?:|src=|href="[^#]|@import|url\(|<script/);
  expect(page).toContain('2 cores &amp; &lt;little&gt; memory.');
  expect(page).toContain('kill -9 of &lt;one&gt;');
  expect(page).toContain('skipped: no &lt;root&gt;');
  expect(page).not.toMatch(/NaN|undefined|Infinity/);
});

test('it states at the top whether all is well', () => {
  expect(makePage(reportOn())).toContain('<span class="good">Every check holds.</span>');
  const late = ANSWERS.filter(({ at, isIntake }) => isIntake && at % 10_000 >= 4_000);
  expect(reportOn({}, SWITCHOVERS, late).isWell).toBe(false);
  expect(makePage(reportOn({}, SWITCHOVERS, late))).toContain('<span class="bad">1 check failed.</span>');
});

test('where times are not judged, being late is shown and does not fail', () => {
  const late = ANSWERS.filter(({ at, isIntake }) => isIntake && at % 10_000 >= 4_000);
  const report = reportOn({ judgesTimes: false }, SWITCHOVERS, late);
  expect(report.isWell).toBe(true);
  expect(makePage(report)).toContain('over the limit, not judged');
});

test('requests that never succeed fail the run', () => {
  expect(concludeWith(true, { isSettled: false }).isWell).toBe(false);
});

test('a control that is not caught fails the run', () => {
  expect(concludeWith(true).isWell).toBe(true);
  const missed = concludeWith(false);
  expect(missed.isWell).toBe(false);
  expect(makePage(missed)).toContain('<span class="bad">1 control not caught.</span>');
  expect(describeReport(missed)).toContain('NOT CAUGHT: a mistake');
});

test('each event has a timeline with a text alternative; the first of each kind is open', () => {
  const page = makePage(reportOn());
  expect(page.match(/<svg /g)).toHaveLength(2);
  expect(page).toContain('aria-label="Event 1. 2.10 s without intake, detection 1.50 s');
  expect(page).toContain('<summary>1 more</summary>');
});

test('timelines count acknowledged and refused orders by interval', () => {
  const [timeline] = reportOn().timelines;
  const sum = (counts: readonly number[] = []): number => counts.reduce((total, count) => total + count, 0);
  expect(timeline?.stepMs).toBe(100);
  expect(sum(timeline?.acknowledged)).toBe(50);
  expect(sum(timeline?.refused)).toBe(20);
  expect(timeline?.marks).toEqual([{ at: 1_000, text: 'kill -9 of <one>' }]);
});
