import { expect, test } from 'vitest';
import { PlanMemory, type OrderPlanDraft } from './order-plans.ts';

const AT = Date.parse('2026-03-01T12:00:00Z');

const placed = { kind: 'placed', courierId: 'c', extraCost: 10, nextBest: null, offerAt: AT } as const;
const plan: OrderPlanDraft = {
  orderId: 'o',
  courierId: 'c',
  pickupPlace: 0,
  dropoffPlace: 1,
  pickupAt: 1_000_000,
  dropoffAt: 2_000_000,
  reason: placed,
};

test('only changes that people would notice are written again', () => {
  const memory = new PlanMemory();
  const { reason: _reason, ...place } = plan;
  const explanation = { ...placed, offerAt: '2026-03-01T12:00:00.000Z' };
  expect(memory.takeNews([plan])).toEqual([{ ...place, explanation }]);
  expect(memory.takeNews([plan])).toEqual([]);
  expect(memory.takeNews([{ ...plan, dropoffAt: 2_020_000, reason: null }])).toEqual([]);
  const later = { ...plan, dropoffAt: 2_030_000 };
  expect(memory.takeNews([later])).toHaveLength(1);
  const elsewhere = { ...later, courierId: 'd' };
  expect(memory.takeNews([elsewhere])).toHaveLength(1);
  const asked = (offerAt: number): OrderPlanDraft => ({ ...elsewhere, reason: { ...placed, offerAt } });
  expect(memory.takeNews([asked(AT + 29_000)])).toEqual([]);
  expect(memory.takeNews([asked(AT + 30_000)])).toHaveLength(1);
  const priced = (extraCost: number): OrderPlanDraft => ({
    ...elsewhere,
    reason: { ...placed, offerAt: AT + 30_000, nextBest: { courierId: 'd', extraCost } },
  });
  expect(memory.takeNews([priced(300)])).toHaveLength(1);
  expect(memory.takeNews([priced(419)])).toEqual([]);
  expect(memory.takeNews([priced(420)])).toHaveLength(1);
  const waiting: OrderPlanDraft = { ...elsewhere, reason: { kind: 'waiting', reason: 'NO_ROOM', until: AT } };
  expect(memory.takeNews([waiting])).toMatchObject([
    { explanation: { kind: 'waiting', reason: 'NO_ROOM', until: '2026-03-01T12:00:00.000Z' } },
  ]);
});

test('small delays accumulate: a plan is compared with the last written one, not the last planned one', () => {
  const memory = new PlanMemory();
  memory.takeNews([plan]);
  expect(memory.takeNews([{ ...plan, dropoffAt: 2_020_000 }])).toEqual([]);
  expect(memory.takeNews([{ ...plan, dropoffAt: 2_040_000 }])).toHaveLength(1);
});

test('a plan that moves without a new reason keeps its reason, and repeating that reason is not a change', () => {
  const memory = new PlanMemory();
  memory.takeNews([plan]);
  const later = { ...plan, dropoffAt: 2_060_000 };
  expect(memory.takeNews([{ ...later, reason: null }])).toHaveLength(1);
  expect(memory.takeNews([later])).toEqual([]);
});
