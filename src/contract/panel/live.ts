// What GET /api/live tells, as server-sent events.
import { z } from 'zod';
import { STATES } from '../../domain/orders/order.ts';

/** `hello`: from here on nothing is missed, so read everything now. */
/** `reset`: too much has happened since the connection was lost; read everything again. */
/** `changed`, to operators: something somewhere has changed. */
/** `orders`: these have changed; an order may be named although the page knows this version already. */
export const LIVE_EVENTS = ['hello', 'reset', 'changed', 'orders'] as const;
export type LiveEvent = (typeof LIVE_EVENTS)[number];

/** The data of `orders`. `isNew`: it has just arrived, in whatever state; the restaurant may approve by itself. */
export const liveOrders = z.object({
  orders: z.array(z.object({ id: z.uuid(), version: z.number(), state: z.enum(STATES), isNew: z.boolean() })),
});
export type LiveOrders = z.infer<typeof liveOrders>;
