// Texts for the nine order states: a name and what is happening.
import type { OrderState } from '../../../../src/domain/orders/order.ts';

export const stateTexts = {
  NEW: { name: 'New', meaning: 'Waits for the restaurant to approve it' },
  VALIDATED: { name: 'Approved', meaning: 'Approved; a courier is being looked for' },
  ROUTED: { name: 'Routed', meaning: 'Planned into a route' },
  ASSIGNED: { name: 'Assigned', meaning: 'Offered to a courier, who has not accepted yet' },
  ACCEPTED: { name: 'Accepted', meaning: 'A courier has accepted and comes to collect it' },
  PREPARED: { name: 'Prepared', meaning: 'Ready, and waits for the courier' },
  ON_DELIVERY: { name: 'On delivery', meaning: 'On its way to the customer' },
  DELIVERED: { name: 'Delivered', meaning: 'Handed over' },
  CANCELED: { name: 'Canceled', meaning: 'Will not be delivered' },
} as const satisfies Record<OrderState, { name: string; meaning: string }>;
