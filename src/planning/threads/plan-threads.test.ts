import { expect, onTestFinished, test } from 'vitest';
import { courierAtWorkOf, knownOrderOf, questionOf, RESTAURANT } from '../../../test/planning/area-updates.ts';
import { silentLog } from '../../platform.ts';
import { createPlanThreads } from './plan-threads.ts';

const ALL = questionOf({
  restaurants: [RESTAURANT],
  orders: [knownOrderOf('o')],
  couriers: { here: [courierAtWorkOf('ada')], elsewhere: [] },
});

function openThreads(count = 1) {
  const settings = { routingUrl: null, roadsDir: '/nowhere/roads' };
  const threads = createPlanThreads({ log: silentLog, settings, onLearned: () => undefined, count });
  onTestFinished(() => threads.close());
  return threads;
}

test('a thread keeps separate state for each area between requests', async () => {
  const threads = openThreads();
  expect((await threads.plan('one', ALL)).answer).toMatchObject({ kind: 'planned', summary: { orders: 1 } });
  expect((await threads.plan('one', questionOf())).answer).toEqual({ kind: 'kept' });
  const more = questionOf({ orders: [knownOrderOf('p')] });
  expect((await threads.plan('one', more)).answer).toMatchObject({ kind: 'planned', summary: { orders: 2 } });
  await expect(threads.plan('another', questionOf())).rejects.toThrow('has no state of the area');
});

test('requests for an area go to the thread that holds its state, and threads run in parallel', async () => {
  const threads = openThreads(2);
  const areas = ['one', 'two', 'three'];
  const ask = (question: typeof ALL) =>
    Promise.all(areas.map(async (area) => (await threads.plan(area, question)).answer));
  expect(await ask(ALL)).toMatchObject(areas.map(() => ({ kind: 'planned', summary: { orders: 1 } })));
  expect(await ask(questionOf())).toEqual(areas.map(() => ({ kind: 'kept' })));
});

test('a complete update replaces all earlier state of an area', async () => {
  const threads = openThreads();
  await threads.plan('one', ALL);
  const other = await threads.plan('one', { ...ALL, orders: [knownOrderOf('p')] });
  expect(other.answer).toMatchObject({ kind: 'planned', summary: { orders: 1 }, plans: [{ orderId: 'p' }] });
});

test('an area that was dropped needs a complete update', async () => {
  const threads = openThreads();
  await threads.plan('one', ALL);
  threads.forget('one');
  await expect(threads.plan('one', questionOf())).rejects.toThrow('has no state of the area');
  expect((await threads.plan('one', ALL)).answer).toMatchObject({ kind: 'planned' });
});

test('a thread that ended is replaced by one that needs a complete update', async () => {
  const threads = openThreads();
  await threads.plan('one', ALL);
  await threads.close();
  await expect(threads.plan('one', questionOf())).rejects.toThrow('has no state of the area');
  expect((await threads.plan('one', ALL)).answer).toMatchObject({ kind: 'planned', summary: { orders: 1 } });
});
