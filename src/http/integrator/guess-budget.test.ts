import { expect, test } from 'vitest';
import { createGuessBudget, GUESSES_PER_MINUTE } from './guess-budget.ts';

function createBudget() {
  const clock = { nowMs: 0 };
  const budget = createGuessBudget({ now: () => 0, monotonicMs: () => clock.nowMs });
  return { clock, budget };
}

test('an address has a limited number of guesses per minute', () => {
  const { clock, budget } = createBudget();
  const spend = () => budget.spend('192.0.2.1');
  const first = Array.from({ length: GUESSES_PER_MINUTE + 1 }, spend);
  expect(first.indexOf(true)).toBe(GUESSES_PER_MINUTE);
  expect(budget.spend('192.0.2.2')).toBe(false);
  clock.nowMs = 59_999;
  expect(spend()).toBe(true);
  clock.nowMs = 60_000;
  expect(spend()).toBe(false);
});

test('at most ten thousand addresses are remembered', () => {
  const { budget } = createBudget();
  const isSpent = () => budget.spend('192.0.2.1');
  for (let guesses = 0; guesses < GUESSES_PER_MINUTE; guesses += 1) isSpent();
  for (let other = 1; other < 10_000; other += 1) budget.spend(`other ${other}`);
  expect(isSpent()).toBe(true);
  budget.spend('one more');
  expect(isSpent()).toBe(false);
});
