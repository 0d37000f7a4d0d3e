// The server-sent events of GET /api/live.
import { z } from 'zod';
import { STATES } from '../../domain/orders/order.ts';

/** `hello`: from here on nothing is missed, so read everything now. */
/** `reset`: too much has happened since the connection was lost; read everything again. */
/** `changed`, to operators: something somewhere has changed. */
/** `orders`: these have changed; an order may be named although the page knows this version already. */
export const LIVE_EVENTS = ['hello', 'reset', 'changed', 'orders'] as const;
export type LiveEvent = (typeof LIVE_EVENTS)[number];

/** The data of `orders`. `isNew`: it was just created, in any state, because it may be approved automatically. */
export const liveOrders = z.object({
  orders: z.array(z.object({ id: z.uuid(), version: z.number(), state: z.enum(STATES), isNew: z.boolean() })),
});
export type LiveOrders = z.infer<typeof liveOrders>;
