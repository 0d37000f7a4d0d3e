import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VEHICLES } from '../domain/courier.ts';
import { packAnswer, packRequest, unpackAnswer, unpackRequest } from './packed-plan.ts';
import type { CourierToPlan, OrderReason, OrderToPlan, PlanAnswer, PlannedOrder } from './plan-request.ts';

const place = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});
const instant = fc.integer({ min: 0, max: Date.parse('2100-01-01') });
const position = fc.nat(40);
/** Few, so that the same ones occur again. */
const name = fc.constantFrom('a', 'b', '0199', 'no-such-courier', '1');
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });

const order: fc.Arbitrary<Omit<OrderToPlan, 'id'>> = fc.record({
  restaurantId: name,
  pickup: place,
  dropoff: place,
  readyAt: instant,
  doorOpensAt: orNull(instant),
  dueAt: instant,
  bags: fc.nat(20),
  vehicles: fc.subarray([...VEHICLES]),
  canCombine: fc.boolean(),
  heldBy: orNull(name),
  isCarried: fc.boolean(),
  announcedTo: orNull(name),
  refusedBy: fc.array(name, { maxLength: 2 }),
  lockedTo: orNull(name),
  planned: orNull(fc.record({ courierId: name, pickupPlace: orNull(position), dropoffPlace: position })),
});
const courier: fc.Arbitrary<CourierToPlan> = fc.record({
  id: name,
  restaurantId: orNull(name),
  vehicle: fc.constantFrom(...VEHICLES),
  capacity: fc.nat(20),
  place,
  shiftEndsAt: orNull(instant),
});
const reason: fc.Arbitrary<OrderReason | undefined> = fc.option(
  fc.constantFrom<OrderReason>(
    { kind: 'held', courierId: 'a' },
    { kind: 'waiting', reason: 'NO_ROOM' },
    { kind: 'placed', courierId: 'b', extraCost: 3, nextBest: null },
  ),
  { nil: undefined },
);
const planned: fc.Arbitrary<Omit<PlannedOrder, 'orderId'>> = fc.record({
  courierId: orNull(name),
  pickupPlace: orNull(position),
  dropoffPlace: orNull(position),
  pickupAt: orNull(instant),
  dropoffAt: orNull(instant),
  leaveAt: orNull(instant),
  reason,
});
const summary: PlanAnswer['summary'] = {
  orders: 1,
  waiting: 0,
  couriers: 1,
  cost: 10,
  rounds: 5,
  travelTimes: 'estimate',
  bridgedShare: 0,
};

/** As another thread gets it: what is handed over is not copied. */
const send = <Message extends { numbers: Float64Array<ArrayBuffer> }>(message: Message): Message =>
  structuredClone(message, { transfer: [message.numbers.buffer] });

test('whatever is asked of the thread, it reads what was written', () => {
  fc.assert(
    fc.property(instant, fc.array(order), fc.array(courier), (now, orders, couriers) => {
      const request = { now, orders: orders.map((one, index) => ({ id: `order ${index}`, ...one })), couriers };
      expect(unpackRequest(send(packRequest(request)))).toEqual(request);
    }),
  );
});

test('whatever the thread answers, the service reads what was written', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(order, planned)), (pairs) => {
      const orders = pairs.map(([one], index) => ({ id: `order ${index}`, ...one }));
      const answer = { orders: pairs.map(([, place], index) => ({ orderId: `order ${index}`, ...place })), summary };
      expect(unpackAnswer(send(packAnswer(answer)), { now: 0, orders, couriers: [] })).toEqual(answer);
    }),
  );
});
