// Compares what receivers got with what was committed.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isSuccess, type Arrival, type Evidence } from './evidence.ts';

type Received = Pick<Evidence, 'events' | 'arrivals'>;

export function findLostEvents({ events, arrivals }: Received): string[] {
  const taken = new Set(arrivals.filter(isSuccess).map((arrival) => arrival.body));
  return events
    .filter((event) => !event.isQueued && !taken.has(event.body))
    .map((event) => `version ${event.version} of order ${event.orderId} got no 2xx and is not due`);
}

export function findInventions({ events, arrivals }: Received): string[] {
  // Compares the content only; findAlteredBytes checks the bytes.
  const committed = new Set(events.map((event) => canonicalOf(event.body)));
  return arrivals
    .filter((arrival) => !committed.has(canonicalOf(arrival.body)))
    .map((arrival) => `never committed: ${arrival.body}`);
}

export function findAlteredBytes({ arrivals }: Pick<Evidence, 'arrivals'>): string[] {
  return [...Map.groupBy(arrivals, (arrival) => canonicalOf(arrival.body)).values()]
    .filter((same) => new Set(same.map((arrival) => arrival.body)).size > 1)
    .map((same) => `${same.length} attempts of one event differ: ${same[0]?.body}`);
}

export function findForgeries({ arrivals, receivers }: Evidence): string[] {
  const secrets = new Map(receivers.map((receiver) => [receiver.name, receiver.secret]));
  return arrivals
    .filter((arrival) => !isSigned(arrival, secrets.get(arrival.receiver) ?? ''))
    .map((arrival) => `wrong signature: ${arrival.body}`);
}

/** As in contract 5.3. */
function isSigned({ body, signature }: Arrival, secret: string): boolean {
  if (signature === null || !/^[0-9a-f]{64}$/.test(signature)) return false;
  return timingSafeEqual(createHmac('sha256', secret).update(body, 'utf8').digest(), Buffer.from(signature, 'hex'));
}

export function findStrays({ arrivals, orders, receivers }: Evidence): string[] {
  const restaurantOf = new Map(orders.map((order) => [order.id, order.restaurantId]));
  const receiverOf = new Map(receivers.map((receiver) => [receiver.name, receiver]));
  return arrivals
    .filter(({ body, receiver }) => {
      const { serviceOrderId = '', providerRestaurantId } = read(body);
      const owner = receiverOf.get(receiver);
      const isNamed = providerRestaurantId === undefined || providerRestaurantId === owner?.restaurantId;
      return !isNamed || restaurantOf.get(serviceOrderId) !== owner?.id;
    })
    .map(({ body, receiver }) => `${receiver} got another receiver's webhook: ${body}`);
}

/** The content of a body, independent of its exact bytes. */
function canonicalOf(body: string): string {
  const { event, serviceOrderId, status, timestamp } = read(body);
  return [event, serviceOrderId, status, timestamp].join(' ');
}

function read(body: string): Record<string, string> {
  return JSON.parse(body) as Record<string, string>;
}
