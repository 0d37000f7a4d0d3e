import fc from 'fast-check';
import { expect, test } from 'vitest';
import { courierAtWorkOf, knownOrderOf, questionOf, RESTAURANT } from '../../test/helpers/area-news.ts';
import { KITCHEN, MINUTE_MS, NOW } from '../../test/helpers/plan-request.ts';
import { OFFER_LIMIT_MS } from '../domain/courier.ts';
import { AreaDesk } from './area-desk.ts';
import type { AreaQuestion, CouriersNow, KnownOrder } from './area-news.ts';
import type { PlanRequest } from './plan-request.ts';
import { solve } from './solve.ts';
import { TravelBook } from './travel-book.ts';

const tools = {
  travelBook: new TravelBook({ monotonicMs: () => 0, provider: null }),
  monotonicMs: () => 0,
  breathe: () => undefined,
};

const ADA: CouriersNow = { here: [courierAtWorkOf('ada')], elsewhere: [] };
/** Nobody has to be asked about it soon. */
const RELAXED = { facts: { prepMinutes: 60 } };

function openDesk() {
  const desk = new AreaDesk([RESTAURANT]);
  const requests: PlanRequest[] = [];
  const ask = (question: Partial<AreaQuestion>) =>
    desk.answer(questionOf(question), (request) => {
      requests.push(request);
      return solve(request, tools);
    });
  return { ask, requests };
}

test('what is told bit by bit is planned like what is told at once', () => {
  const drawnOrder = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    latitude: fc.integer({ min: -20, max: 20 }).map((step) => KITCHEN.latitude + step / 1000),
    isGone: fc.boolean(),
  });
  const drawnStep = fc.record({
    orders: fc.uniqueArray(drawnOrder, { selector: ({ id }) => id }),
    couriers: fc.option(fc.subarray(['ada', 'bo', 'cy'])),
  });
  fc.assert(
    fc.property(fc.array(drawnStep, { minLength: 1, maxLength: 6 }), (steps) => {
      const { ask, requests } = openDesk();
      const known = new Map<string, KnownOrder>();
      let couriers: CouriersNow = { here: [], elsewhere: [] };
      for (const step of steps) {
        const told: KnownOrder[] = [];
        const gone: string[] = [];
        for (const { id, latitude, isGone } of step.orders) {
          const order = knownOrderOf(id, { facts: { dropoff: { ...KITCHEN, latitude } } });
          if (isGone) gone.push(id);
          else told.push(order);
          if (isGone) known.delete(id);
          else known.set(id, order);
        }
        if (step.couriers !== null) {
          couriers = { here: step.couriers.map((id) => courierAtWorkOf(id)), elsewhere: [] };
        }
        const whole = openDesk();
        const differences = { orders: told, gone, couriers: step.couriers === null ? null : couriers };
        const answer = ask({ ...differences, isReplanWanted: true });
        const atOnce = whole.ask({ orders: [...known.values()].toReversed(), couriers, isReplanWanted: true });
        expect(requests.at(-1)).toEqual(whole.requests.at(-1));
        expect(answer).toMatchObject({ kind: atOnce.kind });
      }
    }),
  );
});

test('a plan is kept while nothing is new, until it is old, or somebody has to be asked, or asks for another', () => {
  const { ask } = openDesk();
  const kindOf = (question: Partial<AreaQuestion>) => ask(question).kind;
  expect(kindOf({ orders: [knownOrderOf('o', RELAXED)], couriers: ADA })).toBe('planned');
  expect(kindOf({ askedAtMs: 9_999 })).toBe('kept');
  expect(kindOf({ askedAtMs: 10_000 })).toBe('planned');
  const moved = { ...ADA, here: [courierAtWorkOf('ada', { place: { ...KITCHEN, latitude: 41.002 } })] };
  expect(kindOf({ askedAtMs: 12_999, couriers: moved })).toBe('kept');
  expect(kindOf({ askedAtMs: 13_000 })).toBe('planned');
  expect(kindOf({ askedAtMs: 13_000, isReplanWanted: true })).toBe('planned');
  expect(kindOf({ askedAtMs: 13_001, orders: [knownOrderOf('o', { ...RELAXED, lockedTo: 'ada' })] })).toBe('planned');
  const heardAt = (at: number) => ({ ...moved, here: moved.here.map((courier) => ({ ...courier, reportedAt: at })) });
  const [soon, late] = [NOW + MINUTE_MS, NOW + 59 * MINUTE_MS];
  expect(kindOf({ askedAtMs: 13_002, now: soon, couriers: heardAt(soon) })).toBe('kept');
  expect(kindOf({ askedAtMs: 13_003, now: late, couriers: heardAt(late) })).toBe('planned');
});

test('what was said of an order is not said again; a desk that begins anew says it all', () => {
  const { ask } = openDesk();
  const all = { orders: [knownOrderOf('o', RELAXED), knownOrderOf('p', RELAXED)], couriers: ADA, isReplanWanted: true };
  const first = ask(all);
  expect(first).toMatchObject({
    kind: 'planned',
    plans: [
      { orderId: 'o', courierId: 'ada' },
      { orderId: 'p', courierId: 'ada' },
    ],
    alarms: { orderIds: ['o', 'p'], raised: [] },
    summary: { orders: 2, couriers: 1 },
  });
  // Both are routed by then, and stand where they were put.
  const placed = [
    knownOrderOf('o', { ...RELAXED, state: 'ROUTED', planned: { courierId: 'ada', pickupPlace: 0, dropoffPlace: 2 } }),
    knownOrderOf('p', { ...RELAXED, state: 'ROUTED', planned: { courierId: 'ada', pickupPlace: 1, dropoffPlace: 3 } }),
  ];
  ask({ orders: placed, isReplanWanted: true });
  expect(ask({ isReplanWanted: true })).toMatchObject({ kind: 'planned', routes: [], plans: [], alarms: null });
  expect(openDesk().ask(all)).toEqual(first);
});

test('food that takes longer than its restaurant waits for a courier is offered before it is given up, not afterwards', () => {
  const slow = { deadlineAt: NOW + 20 * MINUTE_MS, facts: { prepMinutes: 60 } };
  const { ask } = openDesk();
  const offersAt = (minutes: number) => {
    const now = NOW + minutes * MINUTE_MS;
    const couriers = { ...ADA, here: ADA.here.map((courier) => ({ ...courier, reportedAt: now })) };
    const answer = ask({ orders: [knownOrderOf('o', slow)], couriers, now, isReplanWanted: true });
    return answer.kind === 'planned' ? answer.offers.map(({ orderId }) => orderId) : answer.kind;
  };
  expect(offersAt(9)).toEqual([]);
  expect(offersAt(10)).toEqual(['o']);
  expect(offersAt(20)).toEqual([]);
});

test('an order without courier raises an alarm before it is given up, and at once where only people can mend it', () => {
  const alarmsOf = (known: Parameters<typeof knownOrderOf>[1]) => {
    const answer = openDesk().ask({ orders: [knownOrderOf('o', known)], couriers: { here: [], elsewhere: [] } });
    return answer.kind === 'planned' ? answer.alarms?.raised.map(({ detail }) => detail) : answer.kind;
  };
  const facts = { prepMinutes: 60 };
  const nobody = 'No courier can take it in time.';
  expect(alarmsOf({ facts })).toEqual([]);
  expect(alarmsOf({ facts, deadlineAt: NOW + 16 * MINUTE_MS })).toEqual([]);
  expect(alarmsOf({ facts, deadlineAt: NOW + 15 * MINUTE_MS })).toEqual([nobody]);
  expect(alarmsOf({ facts: { prepMinutes: 15 } })).toEqual([nobody]);
  expect(alarmsOf({ facts: { ...facts, dropoff: null } })).toEqual([
    'The drop-off has no coordinates: nobody can be sent.',
  ]);
});

test('whoever goes off duty with an accepted order is told of, wherever they were on duty', () => {
  const accepted = knownOrderOf('o', { state: 'ACCEPTED', courierId: 'bo', offeredAt: NOW, acceptedAt: NOW });
  const alarmsWith = (couriers: AreaQuestion['couriers']) => {
    const answer = openDesk().ask({ orders: [accepted], couriers });
    return answer.kind === 'planned' ? answer.alarms?.raised : answer.kind;
  };
  expect(alarmsWith({ ...ADA, elsewhere: ['bo'] })).toEqual([]);
  expect(alarmsWith(ADA)).toEqual([
    { orderId: 'o', kind: 'COURIER_DARK', courierId: 'bo', detail: 'Its courier went off duty.' },
  ]);
});

test('an offer that nobody answers in time is taken back before anything is planned', () => {
  const { ask, requests } = openDesk();
  const offered = { state: 'ASSIGNED', courierId: 'ada', offeredAt: NOW } as const;
  ask({ orders: [knownOrderOf('o', offered)], couriers: ADA });
  expect(requests).toHaveLength(1);
  expect(ask({ now: NOW + OFFER_LIMIT_MS })).toMatchObject({
    kind: 'withdraw',
    withdrawals: [{ orderId: 'o', command: { name: 'decline' } }],
  });
  expect(requests).toHaveLength(1);
});

test('whoever is on duty elsewhere keeps an order that they have here', () => {
  const offered = knownOrderOf('o', { state: 'ASSIGNED', courierId: 'bo', offeredAt: NOW });
  expect(openDesk().ask({ orders: [offered], couriers: { ...ADA, elsewhere: ['bo'] } }).kind).toBe('planned');
  expect(openDesk().ask({ orders: [offered], couriers: ADA }).kind).toBe('withdraw');
});
