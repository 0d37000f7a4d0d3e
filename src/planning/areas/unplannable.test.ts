import { expect, test } from 'vitest';
import { courierOf, MINUTE_MS, NOW, orderOf } from '../../../test/planning/plan-request.ts';
import type { PlanAnswer, PlanRequest } from './plan-request.ts';
import { Unplannable } from './unplannable.ts';

const SUMMARY = { orders: 0, waiting: 0, couriers: 0, cost: 0, rounds: 0, travelTimes: '', bridgedShare: 0 };

/** Planning fails if any of these is included. */
function planWithout(...bad: string[]) {
  const asked: PlanRequest[] = [];
  const plan = (request: PlanRequest): PlanAnswer => {
    asked.push(request);
    const culprit = [...request.orders, ...request.couriers].find(({ id }) => bad.includes(id));
    if (culprit !== undefined) throw new Error(`cannot cope with ${culprit.id}\nat line 1`);
    return { orders: [], summary: SUMMARY };
  };
  return { plan, asked };
}

const orders = Array.from({ length: 20 }, (_, index) => orderOf(`o${index}`));
const couriers = ['ada', 'bo', 'cy', 'di', 'eda', 'fay'].map((id) => courierOf(id));
const whole: PlanRequest = { now: NOW, orders, couriers };

test('an order that breaks planning is left out, and the others are planned', () => {
  const unplannable = new Unplannable();
  const { plan } = planWithout('o7');
  const { request } = unplannable.plan(whole, plan);
  expect(request.orders).toEqual(orders.filter(({ id }) => id !== 'o7'));
  expect(request.couriers).toEqual(couriers);
  expect(unplannable.list()).toEqual([{ kind: 'order', id: 'o7', reason: 'Planning failed: cannot cope with o7' }]);
});

test('a courier who breaks planning is left out, and every order is planned', () => {
  const { request } = new Unplannable().plan(whole, planWithout('eda').plan);
  expect(request.orders).toEqual(orders);
  expect(request.couriers.map(({ id }) => id)).toEqual(['ada', 'bo', 'cy', 'di', 'fay']);
});

test('an excluded order or courier is retried after a minute or when it changes', () => {
  const unplannable = new Unplannable();
  unplannable.plan(whole, planWithout('o7').plan);
  const second = planWithout('o7');
  unplannable.plan(whole, second.plan);
  expect(second.asked).toHaveLength(1);
  unplannable.forget('o7');
  expect(unplannable.plan(whole, planWithout().plan).request.orders).toHaveLength(20);
  unplannable.plan(whole, planWithout('o7').plan);
  const later = unplannable.plan({ ...whole, now: NOW + MINUTE_MS }, planWithout().plan);
  expect(later.request.orders).toHaveLength(20);
  expect(unplannable.list()).toEqual([]);
});

test('a plan that fails for every subset fails with the original error', () => {
  const all = [...orders, ...couriers].map(({ id }) => id);
  const { plan, asked } = planWithout(...all);
  const unplannable = new Unplannable();
  expect(() => unplannable.plan(whole, plan)).toThrow('cannot cope');
  expect(unplannable.list()).toEqual([]);
  // The search gives up early: each try may take as long as a plan.
  expect(asked.length).toBeLessThan(40);
});

test.each([
  { dueAt: Number.NaN },
  { readyAt: Number.POSITIVE_INFINITY },
  { bags: Number.NaN },
  { dropoff: { latitude: 91, longitude: 0 } },
  { pickup: { latitude: 0, longitude: Number.NaN } },
])('an order that cannot be planned is left out before planning: %j', (figures) => {
  const { plan, asked } = planWithout();
  const unplannable = new Unplannable();
  unplannable.plan({ ...whole, orders: [...orders, orderOf('odd', figures)] }, plan);
  expect(asked).toHaveLength(1);
  expect(unplannable.list()).toMatchObject([{ kind: 'order', id: 'odd' }]);
});
