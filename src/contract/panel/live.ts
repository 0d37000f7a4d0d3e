// The server-sent events that notify pages of changes.
import { z } from 'zod';
import { STATES } from '../../domain/orders/order.ts';
import { declareRoutes } from './routes.ts';

/** `hello`: no change after this is missed, so read everything now. */
/** `reset`: too much has happened since the connection was lost; read everything again. */
/** `changed`: sent to operators when anything has changed. */
/** `orders`: these orders have changed; the page may already know the version of some. */
export const LIVE_EVENTS = ['hello', 'reset', 'changed', 'orders'] as const;
export type LiveEvent = (typeof LIVE_EVENTS)[number];

/** The data of `orders`. `isNew`: it was just created, in any state, because it may be approved automatically. */
export const liveOrders = z.object({
  orders: z.array(z.object({ id: z.uuid(), version: z.number(), state: z.enum(STATES), isNew: z.boolean() })),
});
export type LiveOrders = z.infer<typeof liveOrders>;

export const liveApi = declareRoutes({
  open: { method: 'GET', path: '/api/live', answer: 'events' },
});
