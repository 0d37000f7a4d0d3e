import { expect, test } from 'vitest';
import { timingSegments } from './timing-segments.ts';

const NOTHING = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: null };

test('the segments of a complete attempt fill the bar', () => {
  const segments = timingSegments({ dnsMs: 10, connectMs: 20, tlsMs: 30, firstByteMs: 160, totalMs: 200 });
  expect(segments.map(({ phase, ms }) => [phase, ms])).toEqual([
    ['dns', 10],
    ['connect', 20],
    ['tls', 30],
    ['wait', 100],
    ['answer', 40],
  ]);
  expect(segments.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
});

test('a reused connection shows only the wait and the answer', () => {
  const segments = timingSegments({ ...NOTHING, firstByteMs: 8, totalMs: 10 });
  expect(segments.map(({ phase, share }) => [phase, share])).toEqual([
    ['wait', 0.8],
    ['answer', 0.2],
  ]);
});

test('without an answer the remaining time is shown as waiting', () => {
  const segments = timingSegments({ ...NOTHING, dnsMs: 1000, connectMs: 1000, totalMs: 5000 });
  expect(segments.at(-1)).toEqual({ phase: 'wait', ms: 3000, share: 0.6 });
});

test('without measurements nothing is drawn', () => {
  expect(timingSegments(NOTHING)).toEqual([]);
  expect(timingSegments({ ...NOTHING, totalMs: 0 })).toEqual([]);
});
