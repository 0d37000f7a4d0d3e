import { expect, test } from 'vitest';
import { COLLECT_METHODS, type CourierStop } from '../../../../../src/contract/panel/couriers/courier-page.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { nameNextAct } from './next-action-words.ts';

const stop = (method: (typeof COLLECT_METHODS)[number], nextAct: CourierStop['nextAct'] = 'delivered') =>
  nameNextAct({
    nextAct,
    cash: { method, toCollect: { amount: 4_880, currency: 'EUR' }, tendered: null, change: null },
  });

test('the button of the last step names the payment method', () => {
  expect(COLLECT_METHODS.map((method) => stop(method))).toEqual([
    '€48.80 received, delivered',
    '€48.80 paid by card, delivered',
    '€48.80 in vouchers received, delivered',
    '€48.80 paid online, delivered',
    '€48.80 received, delivered',
  ]);
  expect(nameNextAct({ nextAct: 'delivered', cash: null })).toBe('Delivered');
  expect(stop('CARD', 'arrived_dropoff')).toBe("I'm at the door");
});

test('only the text for cash payments mentions cash', () => {
  expect(COLLECT_METHODS.filter((method) => courierTexts.collect[method].includes('cash'))).toEqual(['CASH']);
  expect(courierTexts.collect.CARD).toBe('Collect by card');
});
