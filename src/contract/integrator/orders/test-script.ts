// The `test` field of an order: it scripts the robots of the test environment, so an integrator can trigger every
// outcome and every kind of webhook problem on purpose.
import { z } from 'zod';
import { CANCEL_REASONS, isCancelReasonId } from '../../../domain/orders/cancellation.ts';
import { isFinal, STATES } from '../../../domain/orders/order.ts';
import { flag, integer, oneOf } from './fields.ts';

export const TEST_PATHS = ['PLANNED', 'MANUAL', 'PREPARED_FIRST'] as const;

const cancel = z.object({
  reason: z.enum(Object.keys(CANCEL_REASONS).filter(isCancelReasonId)).describe('The cancelReasonId'),
  at: z.enum(STATES.filter((state) => !isFinal(state))).describe('The state in which the order is canceled'),
  by: oneOf(['Restaurant', 'Courier'], 'Who cancels with OTHER; for all other reasons, the reason decides').optional(),
});

const webhook = z.object({
  duplicate: flag('Send each webhook twice').optional(),
  delaySeconds: integer({ min: 0, max: 3600 }, 'Send each webhook a second time, this many seconds later').optional(),
  outOfOrder: flag('Send each webhook a second time, after the next one').optional(),
});

export const testScript = z.object({
  speed: integer({ min: 1, max: 3600 }, 'How many times faster than real time the robots work').optional(),
  path: oneOf(
    TEST_PATHS,
    'PLANNED: ROUTED, then ASSIGNED. MANUAL: ASSIGNED by hand. PREPARED_FIRST: PREPARED before a courier is found',
  ).optional(),
  cancel: cancel.describe('Cancel the order').optional(),
  declines: integer({ min: 0, max: 5 }, 'How many couriers decline before one accepts').optional(),
  webhook: webhook.describe('Problems with the webhooks of this order').optional(),
});

export type TestScript = z.infer<typeof testScript>;
