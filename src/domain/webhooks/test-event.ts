// The event for testing a URL. A receiver parses it like any other, and can recognize that it has no real order.
import { eventsOf, type EndpointKind } from './events.ts';
import type { Instant } from '../time.ts';

/** Never the id of an order: order ids are never all zeros. */
const NO_ORDER = '00000000-0000-0000-0000-000000000000';

export interface TestEventSource {
  endpoint: EndpointKind;
  /** New each time, so that it never matches an integrator's order. */
  eventId: string;
  providerRestaurantId: string;
  timeZone: string;
  at: Instant;
}

/**
 * Exactly the fields and bytes of the contract. The status event says NEW before and after: the table has no such
 * transition, and it does the least harm to a receiver that treats it as real.
 */
export function testEventBody({ endpoint, eventId, at, ...restaurant }: TestEventSource): string {
  const identity = {
    ...restaurant,
    providerOrderId: `waybill-test-${eventId}`,
    serviceOrderId: NO_ORDER,
    orderNumber: '0',
  };
  const cancellation = {
    reasonId: 'OTHER',
    by: 'Restaurant',
    text: 'Test event of Waybill: no order was canceled',
  } as const;
  const to = endpoint === 'cancel' ? 'CANCELED' : 'NEW';
  const events = eventsOf({ from: 'NEW', to, version: 0, at }, identity, cancellation);
  const event = events.find((candidate) => candidate.endpoint === endpoint);
  if (event === undefined) throw new Error(`no event type belongs to the endpoint ${endpoint}`);
  return event.body;
}
