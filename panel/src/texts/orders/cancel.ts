// Texts for canceling an order.
import type { CanceledBy, CancelReasonId } from '../../../../src/domain/orders/cancellation.ts';

const CONSEQUENCES: Record<CancelReasonId, string> = {
  CUSTOMER_REQUEST: 'the customer knows of it already.',
  OUT_OF_STOCK: 'the customer has to be told. Take the item off the menu, or the next order brings it again.',
  WRONG_ADDRESS: 'the customer has to be asked where they are.',
  CUSTOMER_NOT_AVAILABLE: 'the customer has to be told. Agree with the courier what becomes of the food.',
  COURIER_NOT_AVAILABLE: 'the customer has to be told.',
  RESTAURANT_CLOSED: 'the customer has to be told. Look at the opening hours, or the next order is canceled too.',
  OTHER: 'it explains nothing by itself, so write below what happened.',
};

export const cancelTexts = {
  title: (number: string) => `Cancel order #${number}?`,
  text: {
    restaurant: 'This cannot be undone. Your system is told at once by both webhooks.',
    operator:
      'This cannot be undone. The restaurant’s system is told at once by both webhooks, and the audit log names you.',
  },
  done: 'Canceled',
  behalf: 'On behalf of',
  behalfHint: 'The webhook names them as the one who canceled.',
  behalfOf: {
    Restaurant: 'The restaurant',
    Courier: 'The courier',
    System: 'The system',
  } satisfies Record<CanceledBy, string>,
  reason: 'Reason',
  reasons: {
    CUSTOMER_REQUEST: 'The customer asked for it',
    OUT_OF_STOCK: 'Something is out of stock',
    WRONG_ADDRESS: 'The address could not be found',
    CUSTOMER_NOT_AVAILABLE: 'The customer could not be reached',
    COURIER_NOT_AVAILABLE: 'No courier was found',
    RESTAURANT_CLOSED: 'The restaurant is closed',
    OTHER: 'Something else',
  } satisfies Record<CancelReasonId, string>,
  /** The consequence of each reason. */
  consequences: {
    restaurant: (reasonId: CancelReasonId) => `Sent to your system as ${reasonId}: ${CONSEQUENCES[reasonId]}`,
    operator: (reasonId: CancelReasonId) => `Sent to the restaurant’s system as ${reasonId}: ${CONSEQUENCES[reasonId]}`,
  },
  courier: (name: string) => `${name} has the order and is called off at once.`,
  onTheWay: (name: string) => `${name} is on the way with the food and is told at once. Agree what becomes of it.`,
  words: 'Message to the integrator',
  wordsHint: 'Optional; sent as the reason in the webhook.',
  confirm: 'Cancel the order',
  keep: 'Keep the order',
} as const;
