// Examples of responses and webhooks for the documentation. Tests check them against the schemas.
import { REFUSALS, type Refusal, type SharedCode } from '../../domain/refusals.ts';
import type {
  CancelWebhook,
  DryRunAnswer,
  ErrorAnswer,
  EventsAnswer,
  OrderAnswer,
  OrderReadAnswer,
  StatusWebhook,
} from './answers.ts';
import { USUAL_ORDER } from './orders/examples.ts';

const SERVICE_ORDER_ID = '0195515e-1a00-7c3e-9d5b-2f6a8e4c1b70';
const REQUEST_ID = '0195515e-19c4-7f02-8a11-6b0d9e3f5c21';

export const ORDER_ANSWER = {
  orderId: USUAL_ORDER.orderId,
  restaurantId: USUAL_ORDER.restaurantId,
  serviceOrderId: SERVICE_ORDER_ID,
  orderNumber: '100042',
  status: 'NEW',
  createdAt: '2026-03-01T12:00:01.250+03:00',
  warnings: [],
  issues: [],
} satisfies OrderAnswer;

export const REPLAYED_ANSWER = { ...ORDER_ANSWER, status: 'ROUTED' } satisfies OrderAnswer;

export const DRY_RUN_ANSWER = {
  dryRun: true,
  orderId: 'A-1001',
  restaurantId: USUAL_ORDER.restaurantId,
  warnings: ['Unknown field dropOff is stored with the order. Did you mean dropoff?'],
  issues: [
    {
      code: 'DROPOFF_NOT_ROUTABLE',
      field: 'dropoff.location',
      message: 'The drop-off has no coordinates. Add them to have the order planned, or assign a courier by hand',
    },
  ],
} satisfies DryRunAnswer;

export const ORDER_READ_ANSWER = {
  ...ORDER_ANSWER,
  status: 'ACCEPTED',
  history: [
    { status: 'NEW', previousStatus: null, timestamp: '2026-03-01T12:00:01.250+03:00' },
    { status: 'VALIDATED', previousStatus: 'NEW', timestamp: '2026-03-01T12:00:30.004+03:00' },
    { status: 'ROUTED', previousStatus: 'VALIDATED', timestamp: '2026-03-01T12:00:33.871+03:00' },
    { status: 'ASSIGNED', previousStatus: 'ROUTED', timestamp: '2026-03-01T12:05:00.112+03:00' },
    { status: 'ACCEPTED', previousStatus: 'ASSIGNED', timestamp: '2026-03-01T12:05:12.640+03:00' },
  ],
  courier: { name: 'Mehmet', phone: '+905559876543' },
  eta: { pickupAt: '2026-03-01T12:20:00.000+03:00', dropoffAt: '2026-03-01T12:34:00.000+03:00' },
  canceled: null,
} satisfies OrderReadAnswer;

export const STATUS_WEBHOOK = {
  event: 'order.status_changed',
  orderId: USUAL_ORDER.orderId,
  serviceOrderId: SERVICE_ORDER_ID,
  orderNumber: '100042',
  status: 'VALIDATED',
  previousStatus: 'NEW',
  timestamp: '2026-03-01T12:00:30.004+03:00',
  provider: 'THIRD_PARTY',
  providerRestaurantId: USUAL_ORDER.restaurantId,
} satisfies StatusWebhook;

export const CANCEL_WEBHOOK = {
  event: 'order.canceled',
  orderId: USUAL_ORDER.orderId,
  serviceOrderId: SERVICE_ORDER_ID,
  reason: 'The customer could not be reached',
  cancelReasonId: 'CUSTOMER_NOT_AVAILABLE',
  canceledBy: 'Courier',
  timestamp: '2026-03-01T12:51:09.377+03:00',
} satisfies CancelWebhook;

export const CANCELED_ANSWER = {
  ...ORDER_READ_ANSWER,
  status: 'CANCELED',
  history: [
    ...ORDER_READ_ANSWER.history,
    { status: 'CANCELED', previousStatus: 'ACCEPTED', timestamp: '2026-03-01T12:06:00.019+03:00' },
  ],
  eta: null,
  canceled: {
    reason: 'Item out of stock',
    cancelReasonId: 'OUT_OF_STOCK',
    canceledBy: 'Restaurant',
    timestamp: '2026-03-01T12:06:00.019+03:00',
  },
} satisfies OrderReadAnswer;

export const EVENTS_ANSWER = {
  events: [{ cursor: 'd2IxOjEwNDI', event: STATUS_WEBHOOK, createdAt: STATUS_WEBHOOK.timestamp }],
  nextCursor: 'd2IxOjEwNDI',
  hasMore: false,
} satisfies EventsAnswer;

const PARTICULARS: Partial<Record<SharedCode, Pick<Refusal, 'message' | 'details' | 'restartAfter'>>> = {
  REQ_001: {
    message: 'The body is not valid JSON: expected "," or "}" but found the end of the body at line 1, column 48',
  },
  REQ_004: {
    details: [
      { field: 'items[0].quantity', message: 'Must be a whole number' },
      {
        field: 'currency',
        message: 'Required because the order contains amounts. Must be an ISO 4217 code, such as EUR',
      },
    ],
  },
  ORDER_001: { details: [{ field: 'items[0].quantity', message: 'Differs from the existing order' }] },
  FEED_001: { restartAfter: 'd2IyOjAxOTU1MTVlLTE5YzQtN2YwMi04YTExLTZiMGQ5ZTNmNWMyMToxMDQy' },
  ORDER_003: { message: 'Cannot cancel. The order is DELIVERED' },
};

export function exampleError(code: SharedCode): ErrorAnswer {
  return { ...REFUSALS[code], code, ...PARTICULARS[code], requestId: REQUEST_ID };
}
