import { expect, test } from 'vitest';
import type { CourierStop } from '../../../../src/contract/panel/couriers/courier-page.ts';
import { withActs } from './work-with-actions.ts';

function stop(orderId: string, kind: CourierStop['kind']): CourierStop {
  return {
    kind,
    orderId,
    orderNumber: orderId,
    handoverCode: orderId,
    restaurant: 'Testaurant',
    place: {},
    plannedAt: null,
    nextAct: kind === 'pickup' ? 'arrived' : 'arrived_dropoff',
    disabledReason: kind === 'pickup' ? null : 'Pick it up first',
    items: [],
    bags: 1,
    customer: null,
    cash: null,
    notes: null,
    requirements: {},
  };
}

const STOPS = [stop('a', 'pickup'), stop('b', 'pickup'), stop('a', 'dropoff'), stop('b', 'dropoff')];
const brief = (stops: readonly CourierStop[]) =>
  stops.map(({ orderId, kind, nextAct, disabledReason }) => [orderId, kind, nextAct, disabledReason]);

test('pending actions carry one order through all its steps offline and affect no other order', () => {
  const after = (...kinds: ('arrived' | 'picked_up' | 'arrived_dropoff' | 'delivered' | 'problem')[]) =>
    brief(
      withActs(
        STOPS,
        kinds.map((kind) => ({ orderId: 'a', kind })),
      ).filter(({ orderId }) => orderId === 'a'),
    );
  expect(after('arrived', 'problem')[0]).toEqual(['a', 'pickup', 'picked_up', null]);
  expect(after('arrived', 'picked_up')).toEqual([['a', 'dropoff', 'arrived_dropoff', null]]);
  expect(after('arrived', 'picked_up', 'arrived_dropoff')).toEqual([['a', 'dropoff', 'delivered', null]]);
  expect(after('arrived', 'picked_up', 'arrived_dropoff', 'delivered')).toEqual([]);
  expect(withActs(STOPS, [{ orderId: 'a', kind: 'delivered' }]).filter(({ orderId }) => orderId === 'b')).toEqual(
    STOPS.filter(({ orderId }) => orderId === 'b'),
  );
});

test('an action that the service already applied changes nothing further', () => {
  const acts = [
    { orderId: 'a', kind: 'arrived' as const },
    { orderId: 'a', kind: 'picked_up' as const },
  ];
  const once = withActs(STOPS, acts);
  expect(withActs(once, acts)).toEqual(once);
});
