// The bench's orders: about 1 KiB each, like those from a restaurant's till.
import { USUAL_ORDER } from '../../src/contract/integrator/orders/examples.ts';
import type { JsonObject } from '../../src/domain/canonical-json.ts';

export interface Load {
  /** Origin of the server. */
  address: string;
  path: string;
  headers: Record<string, string>;
  /** Contains `ID_PLACE` where each request gets its own id. */
  body: string;
  seconds: number;
}

/** Placeholder with the same length as the real ids, so that every body has the same length. */
export const ID_PLACE = 'bench-id-00000000-0000000000';

let lastOrder = 0;

/** Unique, also across processes. */
export function nextOrderId(): string {
  lastOrder += 1;
  return `bench-id-${String(process.pid).padStart(8, '0')}-${String(lastOrder).padStart(10, '0')}`;
}

/** The typical order from the documentation. */
export function orderContent(orderId: string, restaurantId: string): JsonObject {
  return { ...USUAL_ORDER, orderId, restaurantId };
}

/** Orders for one restaurant, as its till posts them; no API key for servers that do not require one. */
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
