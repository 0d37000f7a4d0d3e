import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../src/domain/time.ts';
import type { OrderRecord } from './day-records.ts';
import { countFigures } from './figures.ts';

const OPENS = Date.UTC(2026, 2, 1, 11);
const at = (minute: number): number => OPENS + minute * MINUTE_MS;

function order(id: string, times: { placed: number; ready: number; picked: number; delivered: number }): OrderRecord {
  return {
    id,
    orderId: id,
    state: 'DELIVERED',
    courierId: 'ada',
    placedAt: at(times.placed),
    approvedAt: at(times.placed),
    readyAt: at(times.ready),
    acceptedAt: at(times.placed + 2),
    pickedUpAt: at(times.picked),
    deliveredAt: at(times.delivered),
    finishedAt: at(times.delivered),
    cancelReasonId: null,
  };
}

const canceled: OrderRecord = {
  ...order('C', { placed: 50, ready: 60, picked: 0, delivered: 0 }),
  state: 'CANCELED',
  courierId: null,
  acceptedAt: null,
  pickedUpAt: null,
  deliveredAt: null,
  finishedAt: at(55),
  cancelReasonId: 'OUT_OF_STOCK',
};

const figures = countFigures({
  orders: [
    order('A', { placed: 0, ready: 10, picked: 12, delivered: 30 }),
    order('B', { placed: 5, ready: 14, picked: 14, delivered: 25 }),
    canceled,
    order('D', { placed: 60, ready: 70, picked: 75, delivered: 90 }),
  ],
  offers: [
    { orderId: 'A', kind: 'courier_offered', at: at(1) },
    { orderId: 'A', kind: 'courier_declined', at: at(2) },
  ],
  duties: [{ courierId: 'ada', from: OPENS, to: at(120) }],
  courierNames: new Map([['ada', 'Ada']]),
  opensAt: OPENS,
});

test('click-to-door counts delivered orders only, and ready-to-pickup counts the wait of the food', () => {
  expect(figures).toMatchObject({ placed: 4, delivered: 3, canceledBy: { OUT_OF_STOCK: 1 } });
  expect(figures.clickToDoorMinutes).toEqual([30, 20, 30]);
  expect(figures.readyToPickupMinutes).toEqual([2, 0, 5]);
  expect(figures.clickToDoor).toMatchObject({ count: 3, p50: 30, max: 30 });
});

test('two orders in the bag at the same time shared a trip', () => {
  expect(figures.bundling).toEqual({ alone: 1, withOne: 2, withMore: 0 });
});

test('three overlapping orders shared a trip with more than one other', () => {
  const orders = [0, 2, 4].map((minute) => {
    return order(`E${minute}`, { placed: minute, ready: minute, picked: minute + 5, delivered: minute + 20 });
  });
  const records = { orders, offers: [], duties: [], courierNames: new Map<string, string>(), opensAt: OPENS };
  expect(countFigures(records).bundling).toEqual({ alone: 0, withOne: 0, withMore: 3 });
});

test('a courier with two concurrent orders is counted as busy once', () => {
  expect(figures.couriers).toEqual([{ name: 'Ada', onDutyMinutes: 120, busyMinutes: 28 + 28, delivered: 3 }]);
  expect(figures.courierUse).toBeCloseTo(56 / 120);
  expect(figures.ordersPerCourierHour).toBeCloseTo(1.5);
});

test('the day is counted by half hours, and offers by their outcome', () => {
  expect(figures.halfHours.map(({ placed, delivered }) => [placed, delivered])).toEqual([
    [2, 1],
    [1, 1],
    [1, 0],
    [0, 1],
  ]);
  expect(figures.offers).toEqual({ made: 1, declined: 1, withdrawn: 0 });
});
