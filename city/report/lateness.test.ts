import { expect, test } from 'vitest';
import { findPlanWaits, judgeLateness, sumWaits, type Observations } from './lateness.ts';

const calm: Observations = {
  waits: [
    { request: 'order', orderId: 'A', tookMs: 20 },
    { request: 'kitchen', orderId: 'A', tookMs: 30 },
    { request: 'courier', orderId: 'A', tookMs: 40 },
    { request: 'work', orderId: null, tookMs: 1_500 },
  ],
  toOffer: [{ orderId: 'A', from: 1_000, to: 2_900 }],
  plans: [
    { startedAt: 900, endedAt: 1_100 },
    { startedAt: 1_300, endedAt: 1_400 },
  ],
  webhooksMs: [5, 1_999],
  lostOffers: [],
  failures: [],
  complaints: [],
  lagsMs: [3],
};

function lateIn(change: Partial<Observations>): string[] {
  const { measures, isLate } = judgeLateness({ ...calm, ...change });
  const late = measures.filter((measure) => measure.late > 0).map(({ name }) => name);
  expect(isLate).toBe(late.length > 0);
  return late;
}

test('waits within their limits are not late', () => {
  expect(lateIn({})).toEqual([]);
});

test('each kind of wait has a limit for single waits', () => {
  const waits = (request: 'order' | 'kitchen' | 'courier', tookMs: number) => ({
    waits: [...calm.waits, { request, orderId: 'A', tookMs }],
  });
  expect(lateIn(waits('order', 1_001))).toEqual(['order taken']);
  expect(lateIn(waits('kitchen', 1_001))).toEqual(['kitchen']);
  expect(lateIn(waits('courier', 1_001))).toEqual(['courier']);
  expect(lateIn({ waits: [{ request: 'position', orderId: null, tookMs: 2_001 }] })).toEqual(["courier's page"]);
  expect(lateIn({ webhooksMs: [2_001] })).toEqual(['webhook']);
  expect(lateIn({ lagsMs: [1_001] })).toEqual(['city']);
});

test('an order without any plan waits from its approval until it is finished', () => {
  const toOffer = [{ orderId: 'A', from: 1_000, to: 90_000 }];
  expect(lateIn({ toOffer, plans: [] })).toEqual(['planned', 'offered']);
  expect(findPlanWaits({ toOffer, plans: [] }).get('A')).toBe(89_000);
});

test('a planner that pauses while an order is due to be offered counts as offering it late', () => {
  const plansAt = (...ends: number[]) => ends.map((endedAt) => ({ startedAt: endedAt - 50, endedAt }));
  const toOffer = [{ orderId: 'A', from: 1_000, to: 9_000 }];
  expect(lateIn({ toOffer, plans: plansAt(1_200, 3_100, 5_000, 7_000, 8_900) })).toEqual([]);
  expect(lateIn({ toOffer, plans: plansAt(1_200, 3_100, 5_200, 7_000, 8_900) })).toEqual(['offered']);
});

test('a plan that started before an order existed does not count for it', () => {
  expect(findPlanWaits(calm).get('A')).toBe(400);
});

test('a lost offer, a failed round or a repeated request counts as late regardless of the times', () => {
  const lost = judgeLateness({ ...calm, lostOffers: [{ orderId: 'A', courier: 'Ada', at: 0, answer: '{}' }] });
  expect(lost).toMatchObject({ isLate: true, failures: ['Ada accepted A in time but was rejected: {}'] });
  expect(judgeLateness({ ...calm, failures: ['plan.failed: x'] }).isLate).toBe(true);
  expect(judgeLateness({ ...calm, complaints: ['order A: status 503'] }).isLate).toBe(true);
});

test('the time that the software added to an order is the sum of the order’s waits', () => {
  expect(sumWaits(calm)).toEqual(new Map([['A', 20 + 30 + 40 + 400]]));
});
