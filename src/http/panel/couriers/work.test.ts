import { expect, test } from 'vitest';
import { COLLECT_METHODS } from '../../../contract/panel/couriers/courier-page.ts';
import { orderSchema } from '../../../contract/integrator/orders/schema.ts';
import { readContentFacts } from '../../../domain/orders/content-facts.ts';
import type { CourierOrder } from '../../../store/orders/offers.ts';
import { describeStops } from './work.ts';

function orderWith(content: CourierOrder['content']): CourierOrder {
  return {
    id: '0195515e-1a00-7c3e-9d5b-2f6a8e4c1b70',
    orderNumber: '100001',
    state: 'ON_DELIVERY',
    offeredAt: 1,
    acceptedAt: 2,
    content,
    facts: readContentFacts(content),
    restaurant: { name: 'Testaurant', phone: '+90 216 555 01 20', address: null, place: null },
    pickupPlace: null,
    dropoffPlace: null,
    pickupAt: null,
    dropoffAt: null,
    acts: [],
  };
}

function collectAt(payment: Record<string, string | number>) {
  const [stop] = describeStops([orderWith({ currency: 'EUR', payment })]);
  return stop?.cash;
}

const DUE = { status: 'COLLECT_ON_DELIVERY', amountToCollect: 4_880, cashTendered: 5_000 } as const;
const euros = (amount: number) => ({ amount, currency: 'EUR' });

test('the courier app supports every payment method an order can have', () => {
  expect([...COLLECT_METHODS].toSorted()).toEqual(
    orderSchema.shape.payment.unwrap().shape.method.unwrap().options.toSorted(),
  );
});

test('a cash payment comes with the change to give; a missing method means cash', () => {
  const inCash = { method: 'CASH', toCollect: euros(4_880), tendered: euros(5_000), change: euros(120) };
  expect(collectAt({ ...DUE, method: 'CASH' })).toEqual(inCash);
  expect(collectAt(DUE)).toEqual(inCash);
});

test.each(COLLECT_METHODS.filter((method) => method !== 'CASH'))(
  'what is paid with %s is reported as that, without banknotes and change',
  (method) => {
    expect(collectAt({ ...DUE, method })).toEqual({ method, toCollect: euros(4_880), tendered: null, change: null });
  },
);

test('nothing is collected for a paid order, with any payment method', () => {
  for (const method of COLLECT_METHODS) expect(collectAt({ status: 'PAID', method })).toBeNull();
});

test('an unknown payment method is shown as OTHER and hides nothing', () => {
  expect(collectAt({ ...DUE, method: 'BARTER' })).toMatchObject({ method: 'OTHER', toCollect: euros(4_880) });
});

test('the pickup phone is the order’s, else the restaurant’s', () => {
  const phoneOf = (content: CourierOrder['content']) =>
    describeStops([{ ...orderWith(content), state: 'ACCEPTED' }])[0]?.place.phone;
  expect(phoneOf({})).toBe('+90 216 555 01 20');
  expect(phoneOf({ pickup: { phone: '+90 216 555 01 99' } })).toBe('+90 216 555 01 99');
});
