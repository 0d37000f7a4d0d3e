// Each rule about answers is seen to fail here, because a run in which all is well would not show that it can.
import { describe, expect, test } from 'vitest';
import type { EventRecord } from '../rehearsal.ts';
import type { AnswerLine } from '../stage/answers.ts';
import { checkAnswers, figuresOfEvents, figuresOfKinds, isAboutTime, type Rule } from './figures.ts';

const BEGINS = 10_000;

function event(record: Partial<EventRecord> = {}): EventRecord {
  return { key: 'switchover', number: 1, from: BEGINS, to: BEGINS + 5_000, marks: [], ...record };
}

function answer(line: Partial<AnswerLine> = {}): AnswerLine {
  return {
    kind: 'order',
    at: BEGINS,
    tookMs: 10,
    status: 201,
    hasRetryAfter: false,
    isFromBalancer: false,
    isRepeat: false,
    isIntake: true,
    ...line,
  };
}

const REFUSED: Partial<AnswerLine> = { status: 503, hasRetryAfter: true, isIntake: false };

/** An order each 100 ms, apart from the pause. */
function steadyLoad(pause: { from: number; to: number } = { from: 0, to: 0 }): AnswerLine[] {
  const times = Array.from({ length: 80 }, (_, index) => BEGINS - 1_000 + index * 100);
  return times.filter((at) => at < pause.from || at >= pause.to).map((at) => answer({ at, tookMs: 0 }));
}

function check(events: readonly EventRecord[], answers: readonly AnswerLine[]): Map<Rule, string[]> {
  return checkAnswers(figuresOfEvents(events, answers), answers);
}

function brokenRules(events: readonly EventRecord[], answers: readonly AnswerLine[]): Rule[] {
  return [...check(events, answers)].flatMap(([rule, found]) => (found.length > 0 ? [rule] : []));
}

describe('time without intake', () => {
  test('is the longest time between acknowledged orders that touches the event', () => {
    const [figures] = figuresOfEvents([event()], steadyLoad({ from: BEGINS + 2_000, to: BEGINS + 3_500 }));
    expect(figures).toMatchObject({ gapMs: 1_600, maxGapMs: 3_000, failed: 0 });
  });

  test('includes a pause that begins before the event or ends after it', () => {
    const early = figuresOfEvents([event()], steadyLoad({ from: BEGINS - 900, to: BEGINS + 500 }));
    const late = figuresOfEvents([event()], steadyLoad({ from: BEGINS + 4_500, to: BEGINS + 6_000 }));
    expect([early[0]?.gapMs, late[0]?.gapMs]).toEqual([1_500, 1_600]);
  });

  test('lasts to the end of the event if no order is acknowledged again', () => {
    const [figures] = figuresOfEvents([event()], steadyLoad({ from: BEGINS + 1_000, to: BEGINS + 60_000 }));
    expect(figures?.gapMs).toBe(4_100);
  });

  test('does not count refused orders and other requests as intake', () => {
    const paused = steadyLoad({ from: BEGINS + 2_000, to: BEGINS + 3_500 });
    const others = [
      answer({ at: BEGINS + 2_700, ...REFUSED }),
      answer({ at: BEGINS + 2_800, kind: 'panel', status: 200, isIntake: false }),
    ];
    expect(figuresOfEvents([event()], [...paused, ...others])[0]).toMatchObject({ gapMs: 1_600, failed: 1 });
  });

  test('may be as long as the event itself imposes, and 3 s more', () => {
    const answers = steadyLoad({ from: BEGINS + 100, to: BEGINS + 4_600 });
    expect(brokenRules([event()], answers)).toEqual(['intake is back in time']);
    expect(brokenRules([event({ key: 'primary-killed', detectionMs: 1_600 })], answers)).toEqual([]);
    expect(brokenRules([event({ key: 'waits-lost', detectionMs: 1_000, heldMs: 600 })], answers)).toEqual([]);
    expect(brokenRules([event({ key: 'node-killed' })], answers)).toEqual([]);
  });

  test('is summarized per kind, with what was beyond the detection', () => {
    const answers = steadyLoad({ from: BEGINS + 100, to: BEGINS + 2_000 });
    const [kind] = figuresOfKinds(figuresOfEvents([event({ key: 'primary-killed', detectionMs: 1_500 })], answers));
    expect(kind).toMatchObject({ count: 1, gapMs: { median: 2_000, max: 2_000 }, beyondMs: 500 });
  });
});

describe('answers', () => {
  const calm = steadyLoad();

  test('a steady load breaks no rule', () => {
    expect(brokenRules([event()], calm)).toEqual([]);
    expect(brokenRules([event()], [...calm, answer(REFUSED)])).toEqual([]);
  });

  test.each([500, 502, 504])('%s breaks a rule, also with Retry-After', (status) => {
    expect(brokenRules([event()], [...calm, answer({ ...REFUSED, status })])).toEqual([
      'no 5xx other than 503 with Retry-After',
    ]);
  });

  test('503 without Retry-After breaks a rule', () => {
    const found = check([event()], [...calm, answer({ ...REFUSED, hasRetryAfter: false })]);
    expect(found.get('no 5xx other than 503 with Retry-After')).toEqual([
      'event 1 (Planned switchover): order: 503 without Retry-After',
    ]);
  });

  test('no answer breaks a rule, unless the node was killed', () => {
    const lost = [...calm, answer({ ...REFUSED, status: 0 })];
    expect(brokenRules([event()], lost)).toEqual(['every request is answered']);
    expect(brokenRules([event({ key: 'node-killed' })], lost)).toEqual([]);
  });

  test('an answer after the deadline breaks a rule; pages have no deadline', () => {
    expect(brokenRules([event()], [...calm, answer({ tookMs: 5_600 })])).toEqual([
      'no answer is later than the deadline',
    ]);
    expect(brokenRules([event()], [...calm, answer({ tookMs: 5_400 })])).toEqual([]);
    expect(brokenRules([event()], [...calm, answer({ tookMs: 5_600, kind: 'panel' })])).toEqual([]);
  });

  test.each(['rolling-restart', 'upgrade', 'previous-version', 'clock-jump'] as const)(
    'a single refused request breaks a rule in %s',
    (key) => {
      expect(brokenRules([event({ key })], [...calm, answer(REFUSED)])).toEqual(['planned work fails no request']);
      expect(brokenRules([event({ key })], [...calm, answer({ ...REFUSED, at: 0 })])).toEqual([]);
    },
  );

  test('only rules about time depend on the machine', () => {
    const rules = [...check([event()], calm).keys()];
    expect(rules).toHaveLength(5);
    expect(rules.filter(isAboutTime)).toEqual(['no answer is later than the deadline', 'intake is back in time']);
  });
});
