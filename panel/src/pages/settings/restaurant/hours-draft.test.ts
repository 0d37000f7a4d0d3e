import { expect, test } from 'vitest';
import {
  addSpan,
  copyDay,
  endsNextDay,
  findSpansProblem,
  fromDraft,
  isSound,
  replaceDay,
  toDraft,
} from './hours-draft.ts';

const LUNCH = { from: '11:00', to: '15:00' };
const EVENING = { from: '18:00', to: '02:00' };
const CLOSED = toDraft({ weekly: Array.from({ length: 7 }, () => []), exceptions: [] });

test('always open stays until it is edited, and then starts with seven equal days', () => {
  const draft = toDraft(null);
  expect(fromDraft(draft)).toBeNull();
  expect(fromDraft({ ...draft, isAlways: false })?.weekly).toHaveLength(7);
});

test('unedited hours are saved unchanged', () => {
  const hours = { weekly: [[LUNCH, EVENING], [], [], [], [], [], []], exceptions: [{ date: '2026-12-25', spans: [] }] };
  expect(fromDraft(toDraft(hours))).toEqual(hours);
});

test('times and dates are sent in order, regardless of the order of entry', () => {
  const draft = { ...replaceDay(CLOSED, 2, [EVENING, LUNCH]), exceptions: ['2027-01-01', '2026-12-25'].map(dateOff) };
  const hours = fromDraft(draft);
  expect(hours?.weekly[2]).toEqual([LUNCH, EVENING]);
  expect(hours?.exceptions.map(({ date }) => date)).toEqual(['2026-12-25', '2027-01-01']);
});

const dateOff = (date: string) => ({ date, spans: [] });

test.each([
  ['all', [0, 1, 2, 3, 4, 5, 6]],
  ['weekdays', [0, 1, 2, 3, 4]],
  ['weekend', [0, 5, 6]],
] as const)('a day is copied to %s and to no other', (to, days) => {
  const { weekly } = copyDay(replaceDay(CLOSED, 0, [LUNCH]), 0, to);
  expect(weekly.flatMap((spans, day) => (spans.length > 0 ? [day] : []))).toEqual(days);
});

test('additional hours start after the existing ones', () => {
  expect(addSpan([])).toHaveLength(1);
  expect(findSpansProblem(addSpan([LUNCH]))).toBeUndefined();
  expect(addSpan([LUNCH])[1]).toEqual({ from: '16:00', to: '17:00' });
  expect(addSpan([{ from: '11:00', to: '23:30' }])[1]).toEqual({ from: '22:00', to: '23:00' });
});

test('overlapping or incomplete hours are invalid', () => {
  expect(isSound(replaceDay(CLOSED, 1, [LUNCH, EVENING]))).toBe(true);
  expect(isSound(replaceDay(CLOSED, 1, [LUNCH, { from: '14:00', to: '16:00' }]))).toBe(false);
  expect(findSpansProblem([{ from: '', to: '16:00' }])).toBe('incomplete');
  expect(isSound({ ...CLOSED, exceptions: [{ date: '2026-12-25', spans: [{ from: '10:00', to: '' }] }] })).toBe(false);
  expect(isSound({ ...replaceDay(CLOSED, 1, [{ from: '', to: '' }]), isAlways: true })).toBe(true);
});

test('a closing time at or before the opening time is on the next day', () => {
  expect([EVENING, LUNCH, { from: '09:00', to: '09:00' }, { from: '', to: '' }].map(endsNextDay)).toEqual([
    true,
    false,
    true,
    false,
  ]);
});
