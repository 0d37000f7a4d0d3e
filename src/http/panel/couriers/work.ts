// A courier's orders as offers to answer and stops to context.
import {
  courierContent,
  type CourierContent,
  type CourierOffer,
  type CourierStop,
  type OrderEnding,
} from '../../../contract/panel/couriers/courier-page.ts';
import { isJsonObject } from '../../../domain/canonical-json.ts';
import { whyCourierCannot } from '../../../domain/orders/courier-blocked-reasons.ts';
import { OFFER_LIMIT_MS, type ActKind } from '../../../domain/couriers/courier.ts';
import { distanceMeters, type Place } from '../../../domain/geo.ts';
import { formatUtc } from '../../../domain/time.ts';
import type { CourierOrder, OrderEnding as StoredEnding } from '../../../store/orders/offers.ts';

export function describeOffers(
  orders: readonly CourierOrder[],
  courier: { place: Place | null; payPerOrder: number | null },
): CourierOffer[] {
  return orders
    .filter((order) => order.acceptedAt === null)
    .map((order) => {
      const content = readContent(order);
      const { pickup = {}, dropoff } = withPlaces(order, content);
      return {
        orderId: order.id,
        orderNumber: order.orderNumber,
        restaurant: order.restaurant.name,
        pickup,
        dropoff: { district: dropoff?.address?.district ?? null, location: roughly(dropoff?.location) },
        bags: order.facts.bags,
        distanceMeters: measure([courier.place, pickup.location, dropoff?.location]),
        pay: describePay(content, courier.payPerOrder),
        pickupAt: formatUtc(order.pickupAt),
        dropoffAt: formatUtc(order.dropoffAt),
        expiresAt: formatUtc((order.offeredAt ?? 0) + OFFER_LIMIT_MS),
      };
    });
}

/** Rounded to about a hundred meters: the exact address is shown only after the courier accepts. */
function roughly(place: Place | undefined): Place | null {
  if (place === undefined) return null;
  const round = (degrees: number): number => Math.round(degrees * 1_000) / 1_000;
  return { latitude: round(place.latitude), longitude: round(place.longitude) };
}

/** In the order of the plan; unplanned stops come last, in the order in which they were accepted. */
export function describeStops(orders: readonly CourierOrder[]): CourierStop[] {
  const accepted = orders.filter((order) => order.acceptedAt !== null);
  return accepted
    .flatMap((order, index) => {
      const unplanned = 1_000 + 2 * index;
      const dropoff = { order, kind: 'dropoff' as const, rank: order.dropoffPlace ?? unplanned + 1 };
      if (order.state === 'ON_DELIVERY') return [dropoff];
      return [{ order, kind: 'pickup' as const, rank: order.pickupPlace ?? unplanned }, dropoff];
    })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ order, kind }) => describeStop(order, kind));
}

function describeStop(order: CourierOrder, kind: CourierStop['kind']): CourierStop {
  const content = withPlaces(order, readContent(order));
  return {
    kind,
    orderId: order.id,
    orderNumber: order.orderNumber,
    handoverCode: content.displayId ?? order.orderNumber,
    restaurant: order.restaurant.name,
    place: (kind === 'pickup' ? content.pickup : content.dropoff) ?? {},
    plannedAt: formatUtc(kind === 'pickup' ? order.pickupAt : order.dropoffAt),
    ...describeNextAct(order, kind),
    items: content.items ?? [],
    bags: order.facts.bags,
    customer: content.customer ?? null,
    cash: kind === 'dropoff' ? describeCash(content) : null,
    notes: content.notes?.courier ?? null,
    requirements: content.requirements ?? {},
  };
}

function describeNextAct(
  { acts, state }: CourierOrder,
  kind: CourierStop['kind'],
): Pick<CourierStop, 'nextAct' | 'disabledReason'> {
  const [arrival, handover]: [ActKind, ActKind] =
    kind === 'pickup' ? ['arrived', 'picked_up'] : ['arrived_dropoff', 'delivered'];
  const nextAct = acts.includes(arrival) ? handover : arrival;
  return { nextAct, disabledReason: whyCourierCannot({ state, isTheirs: true, isAccepted: true }, nextAct) };
}

export function describeEnding({ orderNumber, state, canceledBy, isTheirs }: StoredEnding): OrderEnding {
  const ended = state === 'DELIVERED' ? 'delivered' : 'open';
  const whose = isTheirs ? ended : 'moved';
  return { orderNumber, ending: state === 'CANCELED' ? 'canceled' : whose, canceledBy };
}

/** Parsed part by part, so that an unreadable part doesn't hide the rest of the order. */
function readContent({ content }: CourierOrder): CourierContent {
  if (!isJsonObject(content)) return {};
  const readable = Object.entries(courierContent.shape).flatMap(([name, schema]) => {
    const reading = schema.safeParse(content[name]);
    return reading.success && reading.data !== undefined ? [[name, reading.data] as const] : [];
  });
  return Object.fromEntries(readable);
}

/** Places come from the order's facts. An order without its own pickup is picked up at the restaurant. */
function withPlaces({ restaurant, facts }: CourierOrder, content: CourierContent): CourierContent {
  const { name, phone, address, place } = restaurant;
  const counter = {
    name,
    ...(phone !== null && { phone }),
    ...(address !== null && { address: { formatted: address } }),
  };
  const { location: _, ...pickup } = content.pickup ?? {};
  const { location: __, ...dropoff } = content.dropoff ?? {};
  return {
    ...content,
    pickup: { ...counter, ...pickup, ...withLocation(facts.pickup ?? place) },
    dropoff: { ...dropoff, ...withLocation(facts.dropoff) },
  };
}

function withLocation(location: Place | null): { location?: Place } {
  return location === null ? {} : { location };
}

function describePay(content: CourierContent, payPerOrder: number | null): CourierOffer['pay'] {
  if (payPerOrder === null || content.currency === undefined) return null;
  return { amount: payPerOrder + (content.tip ?? 0), currency: content.currency };
}

function describeCash({ payment, currency = '' }: CourierContent): CourierStop['cash'] {
  const toCollect = payment?.amountToCollect;
  if (payment?.status !== 'COLLECT_ON_DELIVERY' || toCollect === undefined) return null;
  const { method = 'CASH' } = payment;
  const tendered = method === 'CASH' ? payment.cashTendered : undefined;
  return {
    method,
    toCollect: { amount: toCollect, currency },
    tendered: tendered === undefined ? null : { amount: tendered, currency },
    change: tendered === undefined ? null : { amount: tendered - toCollect, currency },
  };
}

function measure(way: readonly (Place | null | undefined)[]): number | null {
  let total = 0;
  let from: Place | undefined;
  for (const place of way) {
    if (place === null || place === undefined) return null;
    if (from !== undefined) total += distanceMeters(from, place);
    from = place;
  }
  return Math.round(total);
}
