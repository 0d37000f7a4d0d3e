import { expect, test } from 'vitest';
import { whyCourierCannot, type OrderOfCourier } from './courier-blocked-reasons.ts';
import { decide, STATES, type Command, type Order, type OrderState } from './order.ts';
import { newOrder } from './placing.ts';

const COURIER = 'courier-1';
const WISHES = [
  ['picked_up', { name: 'pick_up' }],
  ['delivered', { name: 'deliver' }],
  ['accept', { name: 'accept' }],
  ['decline', { name: 'decline' }],
  ['cancel', { name: 'cancel', cancellation: { reasonId: 'WRONG_ADDRESS', by: 'Courier', text: '' } }],
] as const satisfies readonly (readonly [string, Command])[];

/** Every state an order can be in with this courier, accepted or only offered, and without them. */
const ORDERS = STATES.flatMap((state) => [
  orderIn(state, { courierId: 'somebody else', courierAcceptedAt: 1 }),
  ...(['NEW', 'VALIDATED', 'ROUTED', 'ACCEPTED', 'ON_DELIVERY', 'DELIVERED'].includes(state)
    ? []
    : [orderIn(state, { courierId: COURIER })]),
  ...(['NEW', 'VALIDATED', 'ROUTED', 'ASSIGNED'].includes(state)
    ? []
    : [orderIn(state, { courierId: COURIER, courierAcceptedAt: 1 })]),
]);

function orderIn(state: OrderState, set: Partial<Order>): Order {
  return { ...newOrder('order-1', null, 0), state, ...set };
}

const seenByCourier = ({ state, courierId, courierAcceptedAt }: Order): OrderOfCourier => ({
  state,
  isTheirs: courierId === COURIER,
  isAccepted: courierAcceptedAt !== null,
});

test.each(WISHES)(
  '%s: a refused command has a reason that names no state, and an allowed command has none',
  (wish, command) => {
    for (const order of ORDERS) {
      const { kind } = decide(order, command, { actor: { role: 'courier', courierId: COURIER }, now: 2 });
      const reason = whyCourierCannot(seenByCourier(order), wish);
      if (kind === 'refused') expect({ order, reason }).not.toMatchObject({ reason: null });
      if (kind === 'changed') expect({ order, reason }).toMatchObject({ reason: null });
      for (const state of STATES) expect(reason ?? '').not.toContain(state);
    }
  },
);
