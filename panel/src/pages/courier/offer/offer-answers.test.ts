import { expect, test } from 'vitest';
import { ApiError } from '../../../api/api-error.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { describeFailure } from './offer-answers.ts';

test('a refused answer is explained in the words of the service, one that got no answer as not arrived', () => {
  const refused = new ApiError('The time for this offer is over', { status: 409, code: 'ORDER_003' });
  expect(describeFailure(refused)).toBe('The time for this offer is over');
  expect(describeFailure(new ApiError('', { status: 0, code: 'NETWORK' }))).toBe(courierTexts.offerFailed);
});

test('an offer that went to somebody else is called that, rather than unknown', () => {
  const unknown = new ApiError('There is no such thing here', { status: 404, code: 'PANEL_001' });
  expect(describeFailure(unknown)).toBe(courierTexts.offerTakenBack);
});
