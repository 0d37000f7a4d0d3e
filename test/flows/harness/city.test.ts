// The short version of `npm run city`: a few minutes of orders in a small town, with the service as a separate process,
// and the same checks and report.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkNothingLost, type Check, type CheckInput } from '../../../city/report/checks.ts';
import { conclude, type Conclusion } from '../../../city/report/conclude.ts';
import type { CityDay } from '../../../city/day/day.ts';
import { generateDay } from '../../../city/day/generated-day.ts';
import { makePage } from '../../../city/report/page.ts';
import { runDay, type DayRun } from '../../../city/run/run-day.ts';
import { openStage } from '../../../city/run/stage.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';

const SEED = 3;
const SPEED = 60;

/** Uses the kitchens and roads of a small town, so that the day is short. */
function shorten(day: CityDay): CityDay {
  const [first] = day.restaurants;
  const middle = first?.place ?? { latitude: 0, longitude: 0 };
  const near = (place: typeof middle) => ({
    latitude: middle.latitude + (place.latitude - middle.latitude) / 3,
    longitude: middle.longitude + (place.longitude - middle.longitude) / 3,
  });
  return {
    ...day,
    restaurants: day.restaurants.map((restaurant) => ({ ...restaurant, place: near(restaurant.place) })),
    orders: day.orders.map((order) => ({
      ...order,
      dropoff: near(order.dropoff),
      prepMinutes: 4,
      cookingMs: Math.round(order.cookingMs / 3),
    })),
    couriers: day.couriers.map((courier) => ({ ...courier, home: near(courier.home), vehicle: 'MOTORCYCLE' })),
  };
}

const day = shorten(generateDay({ seed: SEED, orders: 15, hours: 0.1 }));

let database: TestDatabase;
let run: DayRun;
let conclusion: Conclusion;

beforeAll(async () => {
  database = await createTestDatabase();
  const stage = await openStage({ day, seed: SEED, speed: SPEED, port: 0, databaseUrl: database.url });
  try {
    run = await runDay(stage, { day, seed: SEED }, () => undefined);
    conclusion = await conclude(stage, day, run);
  } finally {
    await stage.close();
  }
}, 240_000);

afterAll(() => database.drop());

function judge(change: (input: CheckInput) => Partial<CheckInput>): string[] {
  const { evidence, feed } = conclusion;
  const input = { orderIds: day.orders.map(({ id }) => id), evidence, feed };
  const checks: Check[] = checkNothingLost({ ...input, ...change(input) });
  return checks.filter(({ found }) => found.length > 0).map(({ name }) => name);
}

test('every order of the day is delivered or canceled, its receiver gets every webhook, and none is lost', () => {
  expect(run.isDrained).toBe(true);
  expect(conclusion.evidence.orders).toHaveLength(day.orders.length);
  // The number depends on how busy the machine is: an offer lasts for one second of real time.
  expect(conclusion.report.figures.delivered).toBeGreaterThan(0);
  expect(conclusion.evidence.arrivals.length).toBeGreaterThanOrEqual(day.orders.length * 3);
  expect(judge(() => ({}))).toEqual([]);
});

test('the report measures every kind of wait and renders as a page', () => {
  const { lateness, figures, webhooks } = conclusion.report;
  expect(lateness.measures.filter(({ spread }) => spread.count === 0)).toEqual([]);
  expect(figures.clickToDoor.p50).toBeGreaterThan(5);
  expect(figures.courierUse).toBeGreaterThan(0.05);
  expect(webhooks.latencyMs.p50).toBeGreaterThan(0);
  expect(makePage(conclusion.report)).toContain('No orders or webhooks were lost.');
});

// Controls: the checks must detect that something is missing from the same day.
test('control: a webhook that its receiver never got is detected', () => {
  const found = judge(({ evidence }) => ({ evidence: { ...evidence, arrivals: evidence.arrivals.slice(1) } }));
  expect(found).toEqual(['each event reached a 2xx or is due', 'each receiver got exactly the events of the feed']);
});

test('control: an acknowledged order that is missing or never ends is detected', () => {
  const gone = judge(({ evidence }) => ({ evidence: { ...evidence, orders: evidence.orders.slice(1) } }));
  expect(gone).toContain('each acknowledged order exists once');
  const open = judge(({ evidence }) => {
    const [first, ...others] = evidence.orders;
    return { evidence: { ...evidence, orders: [...(first ? [{ ...first, state: 'PREPARED' }] : []), ...others] } };
  });
  expect(open).toContain('every order is delivered or canceled');
});

test('control: an event missing from the feed and an order that was never acknowledged are detected', () => {
  expect(judge(({ feed }) => ({ feed: feed.slice(1) }))).toEqual(['each receiver got exactly the events of the feed']);
  expect(judge(({ orderIds }) => ({ orderIds: [...orderIds, 'X'] }))).toEqual([
    'every order of the day was acknowledged',
  ]);
});
