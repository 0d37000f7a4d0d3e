import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../src/domain/planning/search/seeded-random.ts';
import type { MdrpInstance, MdrpTrip } from '../../harness/instances/mdrp-instance.ts';
import { MdrpDay, POLICY } from './mdrp-simulation.ts';
import { validateMdrp } from './mdrp-validate.ts';

const RULES = {
  metersPerMinute: 100,
  pickupService: 4,
  dropoffService: 4,
  targetClickToDoor: 40,
  maxClickToDoor: 90,
  payPerOrder: 10,
  payPerHour: 15,
};

/** One restaurant 950 m away, a ten-minute trip, with doors 300 m and 500 m beyond it. */
const SMALL: MdrpInstance = {
  ...RULES,
  name: 'small',
  restaurants: [
    { x: 950, y: 0 },
    { x: 950, y: 500 },
  ],
  orders: [
    { id: 'o1', x: 1250, y: 0, placement: 5, restaurant: 0, ready: 20 },
    { id: 'o2', x: 1450, y: 0, placement: 6, restaurant: 0, ready: 22 },
    { id: 'o3', x: 950, y: 600, placement: 6, restaurant: 1, ready: 22 },
  ],
  couriers: [{ id: 'c1', x: 0, y: 0, on: 0, off: 60 }],
};

/** Ten minutes to the restaurant, ready at 22, two minutes to leave, rides of three and two minutes, two per dropoff. */
const BUNDLE: MdrpTrip = {
  courier: 0,
  assignedAt: 10,
  departure: 10,
  pickup: 22,
  drops: [
    { order: 0, time: 29 },
    { order: 1, time: 35 },
  ],
};

describe('the validator', () => {
  test('accepts a trip that keeps every rule, and computes the published figures', () => {
    const figures = validateMdrp(SMALL, [BUNDLE]);
    expect(figures.faults).toEqual([]);
    expect(figures).toMatchObject({ delivered: 2, clickToDoor: (24 + 29) / 2, readyToPickup: 1, ordersPerTrip: 2 });
    expect(figures.undeliveredPct).toBeCloseTo(100 / 3);
    // Two orders at 10 are more than an hour at 15.
    expect(figures.costPerOrder).toBe(10);
  });

  test.each<[string, Partial<MdrpTrip>]>([
    ['assigned before it was placed', { assignedAt: 5 }],
    ['left before the assignment', { departure: 9, assignedAt: 10 }],
    ['left before the courier was free', { departure: -1, assignedAt: -1 }],
    ['picked up too early', { pickup: 21 }],
    ['picked up too early', { departure: 11, assignedAt: 11 }],
    ['dropped off at 28, not before 29', { drops: [{ order: 0, time: 28 }] }],
    [
      'dropped off at 34, not before 35',
      {
        drops: [
          { order: 0, time: 29 },
          { order: 1, time: 34 },
        ],
      },
    ],
    [
      'orders of several restaurants',
      {
        drops: [
          { order: 0, time: 29 },
          { order: 2, time: 90 },
        ],
      },
    ],
    ['picked up after the shift', { pickup: 61, drops: [{ order: 0, time: 68 }] }],
    [
      'assigned twice',
      {
        drops: [
          { order: 0, time: 29 },
          { order: 0, time: 35 },
        ],
      },
    ],
    ['a trip without an order', { drops: [] }],
  ])('detects: %s', (fault, change) => {
    expect(validateMdrp(SMALL, [{ ...BUNDLE, ...change }]).faults.join('; ')).toContain(fault);
  });

  test('detects a courier who is diverted between two trips', () => {
    const next = { ...BUNDLE, departure: 36, assignedAt: 36, pickup: 50, drops: [{ order: 2, time: 60 }] };
    expect(validateMdrp(SMALL, [BUNDLE, next]).faults.join('; ')).toContain('left before the courier was free');
    const later = { ...next, departure: 37, assignedAt: 37 };
    expect(validateMdrp(SMALL, [BUNDLE, later]).faults).toEqual([]);
  });
});

function makeDay(seed: number): MdrpInstance {
  const random = new SeededRandom(seed);
  const place = (): { x: number; y: number } => ({ x: random.nextBelow(3000), y: random.nextBelow(3000) });
  return {
    ...RULES,
    name: 'made up',
    metersPerMinute: 320,
    restaurants: Array.from({ length: 6 }, place),
    orders: Array.from({ length: 40 }, (_, index) => {
      const placement = random.nextBelow(180);
      return { ...place(), id: `o${index}`, placement, restaurant: random.nextBelow(6), ready: placement + 10 };
    }),
    couriers: Array.from({ length: 6 }, (_, index) => ({ ...place(), id: `c${index}`, on: 10 * index, off: 240 })),
  };
}

test.each([1, 2, 3])('a day through the planner keeps every rule and is the same each time (%i)', (seed) => {
  const instance = makeDay(seed);
  const trips = new MdrpDay(instance, POLICY).run();
  const figures = validateMdrp(instance, trips);
  expect(figures.faults).toEqual([]);
  expect(figures.delivered).toBe(40);
  expect(new MdrpDay(instance, POLICY).run()).toEqual(trips);
});
