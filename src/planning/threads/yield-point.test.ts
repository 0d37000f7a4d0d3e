import { expect, test } from 'vitest';
import { createYieldPoint } from './yield-point.ts';

test('long work yields regularly, and short steps are not slowed by it', () => {
  let nowMs = 0;
  const yields: number[] = [];
  const yieldPoint = createYieldPoint({
    monotonicMs: () => nowMs,
    rest: (ms) => {
      yields.push(nowMs);
      nowMs += ms;
    },
  });
  for (let step = 0; step < 100; step++) {
    yieldPoint();
    nowMs += 0.1;
  }
  // 10 ms of work: one rest per 0.25 ms, or at the first step after that.
  expect(yields.length).toBeGreaterThanOrEqual(28);
  expect(yields.length).toBeLessThanOrEqual(41);
  const stretches = yields.slice(1).map((at, index) => at - (yields[index] ?? 0));
  expect(Math.max(...stretches)).toBeLessThan(0.25 + 0.05 + 0.1 + 0.001);
});

test('yielding pauses the thread for a brief moment', () => {
  const yieldPoint = createYieldPoint({ monotonicMs: () => performance.now() });
  const startedMs = performance.now();
  yieldPoint();
  expect(performance.now() - startedMs).toBeGreaterThan(0.04);
});
