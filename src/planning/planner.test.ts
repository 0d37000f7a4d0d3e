import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestRestaurant, type TestService } from '../../harness/service/service.ts';
import type { AreaQuestion } from './areas/updates.ts';
import type { PlanThreads, ThreadAnswer } from './threads/plan-threads.ts';
import { Planner } from './planner.ts';

let service: TestService;
let slow: TestRestaurant;
let quick: TestRestaurant;

beforeAll(async () => {
  // The test runs its own planner.
  service = await startService({ roles: ['api'] });
  slow = await service.addRestaurant({ autoApprove: true, latitude: 41, longitude: 29 });
  quick = await service.addRestaurant({ autoApprove: true, latitude: 48, longitude: 11 });
});

afterAll(() => service.stop());

async function newOrder(at: TestRestaurant): Promise<string> {
  const answer = await service.post(at, { orderId: randomUUID() });
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

/** Threads that keep each plan; one of them waits for its first answer until the test provides it. */
function startPlanner() {
  const asked = new Map<string, string[][]>();
  let answerSlow = (): void => undefined;
  const kept: ThreadAnswer = { answer: { kind: 'kept' }, durationMs: 1 };
  const threads: PlanThreads = {
    async plan(areaId: string, { orders }: AreaQuestion) {
      const questions = asked.get(areaId) ?? [];
      asked.set(areaId, [...questions, orders.map(({ order }) => order.id)]);
      if (areaId !== slow.id || questions.length > 0) return kept;
      return new Promise((resolve) => {
        answerSlow = () => resolve(kept);
      });
    },
    forget: () => undefined,
    quote: async () => [],
    close: async () => undefined,
  };
  const { db, clock, log, newId, changer, setAside } = service.app;
  const planner = new Planner({ db, clock, log, newId, changer, setAside, threads });
  const stop = new AbortController();
  const ended = planner.run(stop.signal);
  const order = async (at: TestRestaurant): Promise<string> => {
    const id = await newOrder(at);
    planner.wake([id]);
    return id;
  };
  return {
    order,
    answerSlow: () => answerSlow(),
    questionsFor: (restaurant: TestRestaurant) => asked.get(restaurant.id) ?? [],
    wasAsked: (restaurant: TestRestaurant, id: string) => (asked.get(restaurant.id) ?? []).flat().includes(id),
    async stop() {
      stop.abort();
      await ended;
    },
  };
}

test('a slow area does not delay another, and gets its changes afterwards', async () => {
  await Promise.all([newOrder(slow), newOrder(quick)]);
  const planner = startPlanner();
  await expect.poll(() => planner.questionsFor(slow).length).toBe(1);
  await expect.poll(() => planner.questionsFor(quick).length).toBeGreaterThan(0);
  const mine = await planner.order(slow);
  const other = await planner.order(quick);
  await expect.poll(() => planner.wasAsked(quick, other)).toBe(true);
  expect(planner.questionsFor(slow)).toHaveLength(1);
  planner.answerSlow();
  await expect.poll(() => planner.wasAsked(slow, mine)).toBe(true);
  await planner.stop();
});

test('a stopping planner keeps its areas until the plan in progress is finished', async () => {
  await Promise.all([newOrder(slow), newOrder(quick)]);
  const planner = startPlanner();
  await expect.poll(() => planner.questionsFor(slow).length).toBe(1);
  // From here on no round waits for the slow area any more.
  const other = await planner.order(quick);
  await expect.poll(() => planner.wasAsked(quick, other)).toBe(true);
  let isEnded = false;
  const ended = planner.stop().then(() => (isEnded = true));
  for (let question = 0; question < 20; question += 1) await service.app.db.query('select 1');
  expect(isEnded).toBe(false);
  planner.answerSlow();
  await ended;
});
