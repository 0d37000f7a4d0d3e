// The `test` field of an order: what the robots of the test environment do with it, so that an integrator can meet
// every ending and every kind of webhook trouble on purpose.
import { z } from 'zod';
import { CANCEL_REASONS, isCancelReasonId } from '../../../domain/orders/cancellation.ts';
import { isFinal, STATES } from '../../../domain/orders/order.ts';
import { flag, integer, oneOf } from './fields.ts';

export const TEST_PATHS = ['PLANNED', 'MANUAL', 'PREPARED_FIRST'] as const;

const cancel = z.object({
  reason: z.enum(Object.keys(CANCEL_REASONS).filter(isCancelReasonId)).describe('The cancelReasonId'),
  at: z.enum(STATES.filter((state) => !isFinal(state))).describe('The state in which it is cancelled'),
  by: oneOf(['Restaurant', 'Courier'], 'Who cancels, for OTHER; the reason decides for the rest').optional(),
});

const webhook = z.object({
  duplicate: flag('Send each webhook twice').optional(),
  delaySeconds: integer({ min: 0, max: 3600 }, 'Send each webhook once more, this many seconds later').optional(),
  outOfOrder: flag('Send each webhook once more after the next one').optional(),
});

export const testScript = z.object({
  speed: integer({ min: 1, max: 3600 }, 'How many times faster than life the robots work').optional(),
  path: oneOf(
    TEST_PATHS,
    'PLANNED: by ROUTED and ASSIGNED. MANUAL: ASSIGNED by hand. PREPARED_FIRST: PREPARED before there is a courier',
  ).optional(),
  cancel: cancel.describe('Cancel the order on its way').optional(),
  declines: integer({ min: 0, max: 5 }, 'How many couriers decline before one accepts').optional(),
  webhook: webhook.describe('Trouble with the webhooks of this order').optional(),
});

export type TestScript = z.infer<typeof testScript>;
