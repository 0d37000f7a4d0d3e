// Texts for canceling an order.
import type { CanceledBy, CancelReasonId } from '../../../../src/domain/orders/cancellation.ts';

const CONSEQUENCES: Record<CancelReasonId, string> = {
  CUSTOMER_REQUEST: 'The customer already knows.',
  OUT_OF_STOCK: 'Notify the customer, and take the item off the menu to stop further orders.',
  WRONG_ADDRESS: 'Ask the customer for the right address.',
  CUSTOMER_NOT_AVAILABLE: 'Agree with the courier on what to do with the food.',
  COURIER_NOT_AVAILABLE: 'Notify the customer.',
  RESTAURANT_CLOSED: 'Notify the customer, and check your opening hours to avoid further cancellations.',
  OTHER: 'Explain below what happened.',
};

export const cancelTexts = {
  title: (number: string) => `Cancel order #${number}?`,
  text: {
    restaurant: "You can't undo this. We send the status and cancel webhooks to your system immediately.",
    operator:
      "You can't undo this. We send the status and cancel webhooks to the restaurant's system immediately. The audit log records your name.",
  },
  done: 'Canceled',
  behalf: 'On behalf of',
  behalfHint: 'Sent in the webhook as canceledBy.',
  behalfOf: {
    Restaurant: 'The restaurant',
    Courier: 'The courier',
    System: 'The system',
  } satisfies Record<CanceledBy, string>,
  reason: 'Reason',
  reasons: {
    CUSTOMER_REQUEST: 'Customer request',
    OUT_OF_STOCK: 'Out of stock',
    WRONG_ADDRESS: 'Wrong address',
    CUSTOMER_NOT_AVAILABLE: 'Customer not available',
    COURIER_NOT_AVAILABLE: 'No courier available',
    RESTAURANT_CLOSED: 'Restaurant closed',
    OTHER: 'Other',
  } satisfies Record<CancelReasonId, string>,
  /** The consequence of each reason. */
  consequences: {
    restaurant: (reasonId: CancelReasonId) => `Sent to your system as ${reasonId}. ${CONSEQUENCES[reasonId]}`,
    operator: (reasonId: CancelReasonId) => `Sent to the restaurant's system as ${reasonId}. ${CONSEQUENCES[reasonId]}`,
  },
  courier: (name: string) => `${name} has the order and is notified immediately.`,
  onTheWay: (name: string) =>
    `${name} is on the way with the food and is notified immediately. Agree on what to do with it.`,
  message: 'Message to the integrator',
  messageHint: 'Optional. Sent in the webhook as reason.',
  confirm: 'Cancel order',
  keep: 'Keep order',
} as const;
