import fc from 'fast-check';
import { expect, test } from 'vitest';
import { courierAtWorkOf, knownOrderOf, questionOf, RESTAURANT } from '../../../test/planning/area-updates.ts';
import { KITCHEN, MINUTE_MS, NOW } from '../../../test/planning/plan-request.ts';
import { OFFER_LIMIT_MS } from '../../domain/couriers/courier.ts';
import { AreaPlanner } from './area-state.ts';
import type { AreaQuestion, AreaCouriers } from './updates.ts';
import type { KnownOrder } from './describe-order.ts';
import type { PlanEffort, PlanRequest } from './plan-request.ts';
import { solve } from '../threads/solve.ts';
import { TravelTimeCache } from '../travel/travel-time-cache.ts';

const tools = {
  travelTimes: new TravelTimeCache({ monotonicMs: () => 0, provider: null }),
  monotonicMs: () => 0,
  yieldPoint: () => undefined,
};

const ADA: AreaCouriers = { here: [courierAtWorkOf('ada')], elsewhere: [] };
/** No offer is due soon. */
const RELAXED = { facts: { prepMinutes: 60 } };

function openPlanner() {
  const planner = new AreaPlanner([RESTAURANT]);
  const requests: PlanRequest[] = [];
  const efforts: PlanEffort[] = [];
  const ask = (question: Partial<AreaQuestion>) =>
    planner.answer(questionOf(question), (request, effort) => {
      requests.push(request);
      efforts.push(effort);
      return solve(request, effort, tools);
    });
  const plansOf = (question: Partial<AreaQuestion>) => {
    const answer = ask(question);
    return answer.kind === 'planned' ? answer.plans : answer.kind;
  };
  return { planner, ask, plansOf, requests, efforts };
}

test('incremental updates give the same plan as one complete update', () => {
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
      const { ask, requests } = openPlanner();
      const known = new Map<string, KnownOrder>();
      let couriers: AreaCouriers = { here: [], elsewhere: [] };
      for (const step of steps) {
        const changed: KnownOrder[] = [];
        const gone: string[] = [];
        for (const { id, latitude, isGone } of step.orders) {
          const order = knownOrderOf(id, { facts: { dropoff: { ...KITCHEN, latitude } } });
          if (isGone) gone.push(id);
          else changed.push(order);
          if (isGone) known.delete(id);
          else known.set(id, order);
        }
        if (step.couriers !== null) {
          couriers = { here: step.couriers.map((id) => courierAtWorkOf(id)), elsewhere: [] };
        }
        const whole = openPlanner();
        const differences = { orders: changed, gone, couriers: step.couriers === null ? null : couriers };
        const answer = ask({ ...differences, isReplanWanted: true });
        const atOnce = whole.ask({ orders: [...known.values()].toReversed(), couriers, isReplanWanted: true });
        expect(requests.at(-1)).toEqual(whole.requests.at(-1));
        expect(answer).toMatchObject({ kind: atOnce.kind });
      }
    }),
  );
});

test('a plan is kept until something changes, it expires, an offer is due or a replan is requested', () => {
  const { ask } = openPlanner();
  const kindOf = (question: Partial<AreaQuestion>) => ask(question).kind;
  expect(kindOf({ orders: [knownOrderOf('o', RELAXED)], couriers: ADA })).toBe('planned');
  expect(kindOf({ now: NOW + 9_999 })).toBe('kept');
  expect(kindOf({ now: NOW + 10_000 })).toBe('planned');
  const moved = { ...ADA, here: [courierAtWorkOf('ada', { place: { ...KITCHEN, latitude: 41.002 } })] };
  expect(kindOf({ now: NOW + 14_999, couriers: moved })).toBe('kept');
  expect(kindOf({ now: NOW + 15_000 })).toBe('planned');
  expect(kindOf({ now: NOW + 15_000, isReplanWanted: true })).toBe('planned');
  expect(kindOf({ now: NOW + 15_001, orders: [knownOrderOf('o', { ...RELAXED, lockedTo: 'ada' })] })).toBe('planned');
  // A clock that was set back.
  expect(kindOf({ now: NOW + 5_002 })).toBe('kept');
  expect(kindOf({ now: NOW + 5_001 })).toBe('planned');
});

test('new travel times replan the whole area, and only changed plans are returned', () => {
  const { planner, plansOf, requests } = openPlanner();
  expect(plansOf({ orders: [knownOrderOf('o', RELAXED)], couriers: ADA })).toHaveLength(1);
  expect(plansOf({ now: NOW + 1_000 })).toBe('kept');
  planner.noteNewRides();
  expect(plansOf({ now: NOW + 1_001 })).toEqual([]);
  expect(requests).toHaveLength(2);
  expect(plansOf({ now: NOW + 1_002 })).toBe('kept');
});

test('an offer is sent on time although nothing has changed and the plan is fresh', () => {
  const { ask } = openPlanner();
  const kindOf = (question: Partial<AreaQuestion>) => ask(question).kind;
  expect(kindOf({ orders: [knownOrderOf('o')], couriers: ADA })).toBe('planned');
  const offerAt = NOW + 10 * MINUTE_MS - OFFER_LIMIT_MS - 90_000;
  const heardAt = (at: number) => ({ ...ADA, here: ADA.here.map((courier) => ({ ...courier, reportedAt: at })) });
  expect(kindOf({ now: offerAt - 1_000, couriers: heardAt(offerAt) })).toBe('planned');
  expect(kindOf({ now: offerAt - 500 })).toBe('kept');
  expect(ask({ now: offerAt })).toMatchObject({ kind: 'planned', offers: [{ orderId: 'o' }] });
});

test('requested replans search thoroughly and explain every order; others refine and explain ten orders a second', () => {
  const { ask, efforts } = openPlanner();
  ask({ orders: [knownOrderOf('o', RELAXED)], couriers: ADA });
  ask({ now: NOW + 10_000 });
  ask({ now: NOW + 10_400, orders: [knownOrderOf('p', RELAXED)] });
  ask({ now: NOW + 10_401, isReplanWanted: true });
  expect(efforts).toEqual([
    { isThorough: false, explainsAll: true, inTurn: { first: 0, count: 0 } },
    { isThorough: false, explainsAll: false, inTurn: { first: 0, count: 30 } },
    { isThorough: false, explainsAll: false, inTurn: { first: 30, count: 4 } },
    { isThorough: true, explainsAll: true, inTurn: { first: 34, count: 1 } },
  ]);
});

test('an unchanged explanation is reported once, and again when its offer time moves', () => {
  const planner = new AreaPlanner([RESTAURANT]);
  const leaveAt = NOW + 30 * MINUTE_MS;
  const reason = { kind: 'placed', courierId: 'ada', extraCost: 60, nextBest: null } as const;
  const explanationAfter = (now: number, laterMs: number) => {
    const answer = planner.answer(questionOf({ now, orders: [knownOrderOf('o', RELAXED)], couriers: ADA }), () => ({
      orders: [
        {
          orderId: 'o',
          courierId: 'ada',
          pickupPlace: 0,
          dropoffPlace: 1,
          pickupAt: NOW,
          dropoffAt: NOW,
          leaveAt: leaveAt + laterMs,
          reason: now === NOW ? reason : undefined,
        },
      ],
      summary: { orders: 1, waiting: 0, couriers: 1, cost: 0, rounds: 0, travelTimes: 'estimate', bridgedShare: 0 },
    }));
    return answer.kind === 'planned' ? answer.plans.map(({ explanation }) => explanation) : answer.kind;
  };
  const offerAt = (laterMs: number) => new Date(leaveAt + laterMs - OFFER_LIMIT_MS - 30_000).toISOString();
  expect(explanationAfter(NOW, 0)).toEqual([{ ...reason, offerAt: offerAt(0) }]);
  expect(explanationAfter(NOW + 10_000, 29_000)).toEqual([]);
  expect(explanationAfter(NOW + 20_000, 30_000)).toEqual([{ ...reason, offerAt: offerAt(30_000) }]);
});

test('the ETA of a silent courier’s order grows until none can be given', () => {
  const { plansOf } = openPlanner();
  const carried = { state: 'ON_DELIVERY', courierId: 'ada', offeredAt: NOW, acceptedAt: NOW } as const;
  const after = (minutes: number, place: typeof KITCHEN | null = KITCHEN) =>
    plansOf({
      now: NOW + minutes * MINUTE_MS,
      orders: [knownOrderOf('o', carried), knownOrderOf('p', RELAXED)],
      couriers: { here: [courierAtWorkOf('ada', { place, reportedAt: NOW })], elsewhere: [] },
    });
  const arrivesAt = (plans: ReturnType<typeof plansOf>) =>
    Array.isArray(plans) ? plans.find(({ orderId }) => orderId === 'o')?.dropoffAt : plans;
  const first = Number(arrivesAt(after(0)));
  expect(first).toBeGreaterThan(NOW + MINUTE_MS);
  const silent = after(5);
  expect(arrivesAt(silent)).toBe(first + 5 * MINUTE_MS);
  // A courier out of contact gets nothing new.
  expect(silent).toContainEqual(
    expect.objectContaining({ orderId: 'p', explanation: { kind: 'waiting', reason: 'NOBODY_ON_DUTY', until: null } }),
  );
  expect(after(10, null)).toEqual([
    expect.objectContaining({ orderId: 'o', dropoffAt: null, explanation: { kind: 'accepted', courierId: 'ada' } }),
  ]);
});

test('an accepted order that will be very late raises an alarm', () => {
  const late = { state: 'ON_DELIVERY', courierId: 'ada', offeredAt: NOW, acceptedAt: NOW } as const;
  const facts = { wantedAt: NOW - 30 * MINUTE_MS, windowEnd: NOW - 30 * MINUTE_MS };
  const answer = openPlanner().ask({ orders: [knownOrderOf('o', { ...late, facts })], couriers: ADA });
  expect(answer).toMatchObject({
    alarms: {
      raised: [{ orderId: 'o', courierId: 'ada', detail: expect.stringMatching(/^It will be 3\d minutes late/) }],
    },
  });
});

test('unchanged plans and alarms are not reported again; a new planner reports everything', () => {
  const { ask } = openPlanner();
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
  // By then both are routed and planned as before.
  const placed = [
    knownOrderOf('o', { ...RELAXED, state: 'ROUTED', planned: { courierId: 'ada', pickupPlace: 0, dropoffPlace: 2 } }),
    knownOrderOf('p', { ...RELAXED, state: 'ROUTED', planned: { courierId: 'ada', pickupPlace: 1, dropoffPlace: 3 } }),
  ];
  ask({ orders: placed, isReplanWanted: true });
  expect(ask({ isReplanWanted: true })).toMatchObject({ kind: 'planned', routes: [], plans: [], alarms: null });
  expect(openPlanner().ask(all)).toEqual(first);
});

test('an offer explains why this courier was chosen and the extra cost of the next best', () => {
  const offerTo = (...ids: string[]) => {
    const here = ids.map((id, index) =>
      courierAtWorkOf(id, { place: { ...KITCHEN, latitude: KITCHEN.latitude + index / 50 } }),
    );
    const orders = [knownOrderOf('o', { facts: { prepMinutes: 0 } })];
    const answer = openPlanner().ask({ orders, couriers: { here, elsewhere: [] } });
    return answer.kind === 'planned' ? answer.offers.map(({ command }) => command) : answer.kind;
  };
  const withWhy = (why: RegExp) => [{ name: 'select', courierId: 'ada', why: expect.stringMatching(why) }];
  expect(offerTo('ada')).toEqual(withWhy(/^Adds [\d.]+ min to the plan; no other courier could take it\.$/));
  expect(offerTo('ada', 'bo')).toEqual(
    withWhy(/^Adds [\d.]+ min to the plan; the next best would add [\d.]+ min more\.$/),
  );
});

test('an order with a long preparation is offered before its cancellation deadline, not after', () => {
  const slow = { deadlineAt: NOW + 20 * MINUTE_MS, facts: { prepMinutes: 60 } };
  const { ask } = openPlanner();
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

test('an order without a courier raises an alarm before it is canceled, and at once if only a person can fix it', () => {
  const alarmsOf = (known: Parameters<typeof knownOrderOf>[1]) => {
    const answer = openPlanner().ask({ orders: [knownOrderOf('o', known)], couriers: { here: [], elsewhere: [] } });
    return answer.kind === 'planned'
      ? answer.alarms?.raised.map(({ kind, detail }) => ({ kind, detail }))
      : answer.kind;
  };
  const facts = { prepMinutes: 60 };
  const nobody = { kind: 'NO_COURIER_IN_TIME', detail: 'No courier can take it in time.' };
  expect(alarmsOf({ facts })).toEqual([]);
  expect(alarmsOf({ facts, deadlineAt: NOW + 16 * MINUTE_MS })).toEqual([]);
  expect(alarmsOf({ facts, deadlineAt: NOW + 15 * MINUTE_MS })).toEqual([nobody]);
  expect(alarmsOf({ facts: { prepMinutes: 15 } })).toEqual([nobody]);
  expect(alarmsOf({ facts: { ...facts, dropoff: null } })).toEqual([
    { kind: 'PLACE_MISSING', detail: 'The drop-off has no coordinates, so no courier can be sent.' },
  ]);
});

test('an accepted order without a known way raises an alarm that says so instead of blaming a missing courier', () => {
  const accepted = knownOrderOf('o', { state: 'ACCEPTED', courierId: 'ada', offeredAt: NOW, acceptedAt: NOW });
  const lost = (request: PlanRequest, effort: PlanEffort) => {
    const solved = solve(request, effort, tools);
    return { ...solved, orders: solved.orders.map((order) => ({ ...order, pickupAt: null, dropoffAt: null })) };
  };
  const answer = new AreaPlanner([RESTAURANT]).answer(questionOf({ orders: [accepted], couriers: ADA }), lost);
  const detail = 'There is no known route for its courier.';
  expect(answer).toMatchObject({ alarms: { raised: [{ orderId: 'o', courierId: 'ada', detail }] } });
});

test('a courier going off duty everywhere with an accepted order raises an alarm', () => {
  const accepted = knownOrderOf('o', { state: 'ACCEPTED', courierId: 'bo', offeredAt: NOW, acceptedAt: NOW });
  const alarmsWith = (couriers: AreaQuestion['couriers']) => {
    const answer = openPlanner().ask({ orders: [accepted], couriers });
    return answer.kind === 'planned' ? answer.alarms?.raised : answer.kind;
  };
  expect(alarmsWith({ ...ADA, elsewhere: ['bo'] })).toEqual([]);
  expect(alarmsWith(ADA)).toEqual([
    { orderId: 'o', kind: 'COURIER_DARK', courierId: 'bo', detail: 'Its courier went off duty.' },
  ]);
});

test('an expired offer is withdrawn before anything is planned', () => {
  const { ask, requests } = openPlanner();
  const offered = { state: 'ASSIGNED', courierId: 'ada', offeredAt: NOW } as const;
  ask({ orders: [knownOrderOf('o', offered)], couriers: ADA });
  expect(requests).toHaveLength(1);
  expect(ask({ now: NOW + OFFER_LIMIT_MS })).toMatchObject({
    kind: 'withdraw',
    withdrawals: [{ orderId: 'o', command: { name: 'decline' } }],
  });
  expect(requests).toHaveLength(1);
});

test('a courier on duty in another area keeps an order from this one', () => {
  const offered = knownOrderOf('o', { state: 'ASSIGNED', courierId: 'bo', offeredAt: NOW });
  expect(openPlanner().ask({ orders: [offered], couriers: { ...ADA, elsewhere: ['bo'] } }).kind).toBe('planned');
  expect(openPlanner().ask({ orders: [offered], couriers: ADA }).kind).toBe('withdraw');
});
