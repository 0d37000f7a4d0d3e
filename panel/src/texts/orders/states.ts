// Texts for the nine order states: a name and what is happening.
import type { OrderState } from '../../../../src/domain/orders/order.ts';

export const stateTexts = {
  NEW: { name: 'New', meaning: 'Waiting for the restaurant to approve it' },
  VALIDATED: { name: 'Approved', meaning: 'Approved, looking for a courier' },
  ROUTED: { name: 'Routed', meaning: 'Planned into a route' },
  ASSIGNED: { name: 'Assigned', meaning: 'Offered to a courier, waiting for an answer' },
  ACCEPTED: { name: 'Accepted', meaning: 'Accepted by a courier, who is coming to pick it up' },
  PREPARED: { name: 'Prepared', meaning: 'Ready for pickup' },
  ON_DELIVERY: { name: 'On delivery', meaning: 'On the way to the customer' },
  DELIVERED: { name: 'Delivered', meaning: 'Delivered to the customer' },
  CANCELED: { name: 'Canceled', meaning: 'Will not be delivered' },
} as const satisfies Record<OrderState, { name: string; meaning: string }>;
