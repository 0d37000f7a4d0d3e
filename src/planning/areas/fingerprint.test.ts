import { expect, test } from 'vitest';
import { courierAtWorkOf, liveOrderOf } from '../../../test/planning/area-updates.ts';
import { NOW } from '../../../test/planning/plan-request.ts';
import type { CourierAtWork } from '../../store/planning/couriers.ts';
import type { LiveOrder } from '../../store/planning/orders.ts';
import { fingerprintCouriers, fingerprintOrder } from './fingerprint.ts';

const order = liveOrderOf('order');
const courier = courierAtWorkOf('courier');

function look(change: { order?: Partial<LiveOrder>; courier?: Partial<CourierAtWork>; now?: number } = {}) {
  return {
    order: fingerprintOrder({ order: { ...order, ...change.order }, facts: undefined }),
    ...fingerprintCouriers([{ ...courier, ...change.courier }], change.now ?? NOW),
  };
}

test('the planner’s own writes do not trigger a replan', () => {
  const planned = { courierId: 'courier', pickupPlace: 0, dropoffPlace: 1 };
  expect(look({ order: { state: 'ROUTED', revision: '2', planned } })).toEqual(look());
});

test('every other change of an order triggers a replan', () => {
  const changes: Partial<LiveOrder>[] = [
    { courierId: 'courier' },
    { offeredAt: NOW },
    { acceptedAt: NOW },
    { kitchenReadyAt: NOW },
    { state: 'ON_DELIVERY' },
    { refusedBy: ['courier'] },
    { lockedTo: 'courier' },
  ];
  for (const change of changes) expect(look({ order: change }).order).not.toEqual(look().order);
});

test('a courier’s movement differs from a change of eligibility, and a heartbeat is neither', () => {
  const moved = look({ courier: { place: { latitude: 41.01, longitude: 29 } } });
  expect(moved.duties).toEqual(look().duties);
  expect(moved.places).not.toEqual(look().places);
  expect(look({ courier: { reportedAt: NOW + 1_000 } })).toEqual(look());
  expect(look({ courier: { capacity: 2 } }).duties).not.toEqual(look().duties);
  // Out of contact for long enough to be left out of plans.
  expect(look({ now: NOW + 600_000 }).duties).not.toEqual(look().duties);
});
