// The orders of the bench: about 1 KiB, as a restaurant's till would send them.
import { USUAL_ORDER } from '../../src/contract/integrator/orders/examples.ts';
import type { JsonObject } from '../../src/domain/canonical-json.ts';

export interface Load {
  /** Origin of the server. */
  address: string;
  path: string;
  headers: Record<string, string>;
  /** With `ID_PLACE` where each request has an id of its own. */
  body: string;
  seconds: number;
}

/** As long as the ids that take its place, so that every body has the same length. */
export const ID_PLACE = 'bench-id-00000000-0000000000';

let lastOrder = 0;

/** Never the same twice, also not between processes. */
export function nextOrderId(): string {
  lastOrder += 1;
  return `bench-id-${String(process.pid).padStart(8, '0')}-${String(lastOrder).padStart(10, '0')}`;
}

/** The order that the documentation shows as usual. */
export function orderContent(orderId: string, restaurantId: string): JsonObject {
  return { ...USUAL_ORDER, orderId, restaurantId };
}

/** Orders for one restaurant, as its till posts them; without a key where nobody asks for one. */
export function orderLoad(
  address: string,
  { restaurantId, apiKey }: { restaurantId: string; apiKey?: string },
): Omit<Load, 'seconds'> {
  return {
    address,
    path: '/webhook/third-party/order',
    headers: { 'content-type': 'application/json', ...(apiKey !== undefined && { 'x-api-key': apiKey }) },
    body: JSON.stringify(orderContent(ID_PLACE, restaurantId)),
  };
}
