import { expect, test } from 'vitest';
import { ApiError } from '../../../api/api-error.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { describeFailure } from './offer-answers.ts';

test('a rejected answer shows the service’s explanation, and a lost one is shown as not sent', () => {
  const refused = new ApiError('The time for this offer is over', { status: 409, code: 'ORDER_003' });
  expect(describeFailure(refused)).toBe('The time for this offer is over');
  expect(describeFailure(new ApiError('', { status: 0, code: 'NETWORK' }))).toBe(courierTexts.offerFailed);
});

test('an offer that is gone is shown as withdrawn instead of unknown', () => {
  const unknown = new ApiError('Not found.', { status: 404, code: 'PANEL_001' });
  expect(describeFailure(unknown)).toBe(courierTexts.offerTakenBack);
});
