import { expect, test } from 'vitest';
import { testEventBody } from './test-event.ts';

const SOURCE = {
  eventId: '0198c0de-0000-7000-8000-000000000001',
  providerRestaurantId: 'resto-1',
  timeZone: 'Europe/Istanbul',
  at: Date.parse('2026-03-01T09:00:00.123Z'),
};

test('a test event has the contract’s fields in contract order and refers to no order or change', () => {
  expect(testEventBody({ ...SOURCE, endpoint: 'status' })).toBe(
    '{"event":"order.status_changed","orderId":"waybill-test-0198c0de-0000-7000-8000-000000000001",' +
      '"serviceOrderId":"00000000-0000-0000-0000-000000000000","orderNumber":"0","status":"NEW",' +
      '"previousStatus":"NEW","timestamp":"2026-03-01T12:00:00.123+03:00","provider":"THIRD_PARTY",' +
      '"providerRestaurantId":"resto-1"}',
  );
});

test('the test event for the cancel URL says in its reason that nothing was canceled', () => {
  expect(testEventBody({ ...SOURCE, endpoint: 'cancel' })).toBe(
    '{"event":"order.canceled","orderId":"waybill-test-0198c0de-0000-7000-8000-000000000001",' +
      '"serviceOrderId":"00000000-0000-0000-0000-000000000000",' +
      '"reason":"Test event of Waybill: no order was canceled","cancelReasonId":"OTHER","canceledBy":"Restaurant",' +
      '"timestamp":"2026-03-01T12:00:00.123+03:00"}',
  );
});
