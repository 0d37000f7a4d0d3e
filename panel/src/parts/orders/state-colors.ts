// The color of each order state: as a class for text and fills, as a variable for charts and maps.
import type { OrderState } from '../../../../src/domain/orders/order.ts';

export const STATE_COLORS = {
  NEW: { text: 'text-state-new', fill: 'bg-state-new', variable: '--state-new' },
  VALIDATED: { text: 'text-state-validated', fill: 'bg-state-validated', variable: '--state-validated' },
  ROUTED: { text: 'text-state-routed', fill: 'bg-state-routed', variable: '--state-routed' },
  ASSIGNED: { text: 'text-state-assigned', fill: 'bg-state-assigned', variable: '--state-assigned' },
  ACCEPTED: { text: 'text-state-accepted', fill: 'bg-state-accepted', variable: '--state-accepted' },
  PREPARED: { text: 'text-state-prepared', fill: 'bg-state-prepared', variable: '--state-prepared' },
  ON_DELIVERY: { text: 'text-state-on-delivery', fill: 'bg-state-on-delivery', variable: '--state-on-delivery' },
  DELIVERED: { text: 'text-state-delivered', fill: 'bg-state-delivered', variable: '--state-delivered' },
  CANCELED: { text: 'text-state-canceled', fill: 'bg-state-canceled', variable: '--state-canceled' },
} as const satisfies Record<OrderState, { text: string; fill: string; variable: string }>;
