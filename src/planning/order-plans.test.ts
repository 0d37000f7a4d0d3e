import { expect, test } from 'vitest';
import type { OrderPlan } from '../store/plans.ts';
import { PlanMemory } from './order-plans.ts';

const plan: OrderPlan = {
  orderId: 'o',
  courierId: 'c',
  pickupPlace: 0,
  dropoffPlace: 1,
  pickupAt: 1_000_000,
  dropoffAt: 2_000_000,
  explanation: { kind: 'placed', courierId: 'c', extraCost: 10, nextBest: null, offerAt: '2026-03-01T12:00:00.000Z' },
};

test('only what people would notice is written again', () => {
  const memory = new PlanMemory();
  expect(memory.takeNews([plan])).toEqual([plan]);
  expect(memory.takeNews([plan])).toEqual([]);
  expect(memory.takeNews([{ ...plan, dropoffAt: 2_020_000, explanation: null }])).toEqual([]);
  const later = { ...plan, dropoffAt: 2_030_000 };
  expect(memory.takeNews([later])).toEqual([later]);
  const elsewhere = { ...later, courierId: 'd' };
  expect(memory.takeNews([elsewhere])).toEqual([elsewhere]);
  const offered = { kind: 'placed', courierId: 'c', extraCost: 10, nextBest: null } as const;
  const asked = (offerAt: string): OrderPlan => ({ ...elsewhere, explanation: { ...offered, offerAt } });
  expect(memory.takeNews([asked('2026-03-01T12:00:29.000Z')])).toEqual([]);
  expect(memory.takeNews([asked('2026-03-01T12:00:30.000Z')])).toHaveLength(1);
  const priced = (extraCost: number): OrderPlan => ({
    ...elsewhere,
    explanation: { ...offered, offerAt: '2026-03-01T12:00:30.000Z', nextBest: { courierId: 'd', extraCost } },
  });
  expect(memory.takeNews([priced(300)])).toHaveLength(1);
  expect(memory.takeNews([priced(419)])).toEqual([]);
  expect(memory.takeNews([priced(420)])).toHaveLength(1);
  const waiting: OrderPlan = { ...elsewhere, explanation: { kind: 'waiting', reason: 'NO_ROOM', until: null } };
  expect(memory.takeNews([waiting])).toEqual([waiting]);
});

test('small delays add up: what was written is compared, not what was last planned', () => {
  const memory = new PlanMemory();
  memory.takeNews([plan]);
  expect(memory.takeNews([{ ...plan, dropoffAt: 2_020_000 }])).toEqual([]);
  expect(memory.takeNews([{ ...plan, dropoffAt: 2_040_000 }])).toHaveLength(1);
});

test('a place that moved without a new reason keeps its reason: the same one again is no news', () => {
  const memory = new PlanMemory();
  memory.takeNews([plan]);
  const later = { ...plan, dropoffAt: 2_060_000 };
  expect(memory.takeNews([{ ...later, explanation: null }])).toHaveLength(1);
  expect(memory.takeNews([later])).toEqual([]);
});
