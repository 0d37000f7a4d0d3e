// The event with which a URL is tried. A receiver reads it like any other, and can tell that it is about no order.
import { eventsOf, type EndpointKind } from './events.ts';
import type { Instant } from '../time.ts';

/** No order ever has it: ids of orders are never all noughts. */
const NO_ORDER = '00000000-0000-0000-0000-000000000000';

export interface TestEventSource {
  endpoint: EndpointKind;
  /** New each time, so that no order of an integrator can be called the same. */
  eventId: string;
  providerRestaurantId: string;
  timeZone: string;
  at: Instant;
}

/**
 * Exactly the fields and bytes of the contract. The status event says NEW, before and after: a change that the table of
 * transitions does not have, and the one that does least harm to whoever believes it.
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
  if (event === undefined) throw new Error(`no event is for the endpoint ${endpoint}`);
  return event.body;
}
