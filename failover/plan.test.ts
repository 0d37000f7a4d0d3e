import { expect, test } from 'vitest';
import { createChance } from '../harness/chance.ts';
import { countEvents, FULL_COUNT, KIND_KEYS, KINDS } from './kinds.ts';
import { planEvents } from './plan.ts';

const KIT = { current: { main: 'main.ts', isPrevious: false }, fakeTime: 'no clock', logDisk: true } as const;

function plan(counts = countEvents(KIND_KEYS, FULL_COUNT), seed = 1) {
  return planEvents({ counts, kit: KIT, chance: createChance(seed), noPrevious: undefined });
}

test('a full rehearsal has at least 270 events', () => {
  expect(FULL_COUNT).toBeGreaterThanOrEqual(270);
});

test('fewer events are spread over all kinds, each at least once', () => {
  const counts = countEvents(KIND_KEYS, 30);
  expect([...counts.keys()]).toEqual(KIND_KEYS);
  expect(Math.min(...counts.values())).toBe(1);
  expect(counts.get('primary-killed')).toBeGreaterThan(2);
});

test('events are in an order that the seed determines', () => {
  expect(plan().events).toEqual(plan().events);
  expect(plan(undefined, 2).events).not.toEqual(plan().events);
  expect(plan(undefined, 2).events.toSorted()).toEqual(plan().events.toSorted());
});

test('each upgrade begins with the first node, on an installation of its own', () => {
  const { upgrades } = plan();
  expect(upgrades).toHaveLength(KINDS.upgrade.count);
  for (const upgrade of upgrades) expect(upgrade).toEqual(['previous-version', 'upgrade']);
});

test('what cannot happen here is skipped and says why', () => {
  const { events, skipped } = plan();
  expect(skipped).toEqual([{ key: 'clock-jump', obstacle: 'no clock' }]);
  expect(events).not.toContain('clock-jump');
  const counts = countEvents(['upgrade'], 1);
  const noPrevious = 'no git';
  expect(planEvents({ counts, kit: KIT, chance: createChance(1), noPrevious })).toEqual({
    events: [],
    upgrades: [],
    skipped: [{ key: 'upgrade', obstacle: 'no git' }],
  });
});
