// Computes the day's figures from the service's records.
import { MINUTE_MS, type Instant } from '../../src/domain/time.ts';
import type { OfferRecord, OrderRecord } from './day-records.ts';
import { spreadOf, type Spread } from './spread.ts';
import type { Duty } from '../run/world.ts';

export interface Figures {
  placed: number;
  delivered: number;
  canceledBy: Record<string, number>;
  clickToDoorMinutes: number[];
  clickToDoor: Spread;
  readyToPickupMinutes: number[];
  readyToPickup: Spread;
  /** Delivered orders by how many others their courier had in the bag at some moment: none, one, more. */
  bundling: { alone: number; withOne: number; withMore: number };
  couriers: CourierFigures[];
  /** The share of all time on duty with an accepted order. */
  courierUse: number;
  ordersPerCourierHour: number;
  offers: { made: number; declined: number; withdrawn: number };
  /** In half-hour steps from the opening. */
  halfHours: { from: Instant; placed: number; delivered: number }[];
}

export interface CourierFigures {
  name: string;
  onDutyMinutes: number;
  busyMinutes: number;
  delivered: number;
}

export interface DayRecords {
  orders: readonly OrderRecord[];
  offers: readonly OfferRecord[];
  duties: readonly Duty[];
  courierNames: ReadonlyMap<string, string>;
  opensAt: Instant;
}

const HALF_HOUR_MS = 30 * MINUTE_MS;

export function countFigures(records: DayRecords): Figures {
  const { orders, offers } = records;
  const delivered = orders.filter(isDelivered);
  const clickToDoorMinutes = delivered.map((order) => minutes(order.deliveredAt - order.placedAt));
  const readyToPickupMinutes = delivered.flatMap(({ readyAt, pickedUpAt }) =>
    readyAt === null ? [] : [minutes(Math.max(0, pickedUpAt - readyAt))],
  );
  const couriers = countCouriers(records);
  const onDutyMinutes = sum(couriers.map((courier) => courier.onDutyMinutes));
  const busyMinutes = sum(couriers.map((courier) => courier.busyMinutes));
  const canceled = Map.groupBy(
    orders.filter(({ state }) => state === 'CANCELED'),
    ({ cancelReasonId }) => cancelReasonId ?? 'unknown',
  );
  const countOffers = (kind: OfferRecord['kind']): number => offers.filter((offer) => offer.kind === kind).length;
  return {
    placed: orders.length,
    delivered: delivered.length,
    canceledBy: Object.fromEntries([...canceled].map(([reason, those]) => [reason, those.length])),
    clickToDoorMinutes,
    clickToDoor: spreadOf(clickToDoorMinutes),
    readyToPickupMinutes,
    readyToPickup: spreadOf(readyToPickupMinutes),
    bundling: countBundles(delivered),
    couriers,
    courierUse: busyMinutes / Math.max(1, onDutyMinutes),
    ordersPerCourierHour: delivered.length / Math.max(1 / 60, onDutyMinutes / 60),
    offers: {
      made: countOffers('courier_offered'),
      declined: countOffers('courier_declined'),
      withdrawn: countOffers('offer_withdrawn'),
    },
    halfHours: countHalfHours(orders, records.opensAt),
  };
}

interface DeliveredOrder extends OrderRecord {
  pickedUpAt: Instant;
  deliveredAt: Instant;
}

function isDelivered(order: OrderRecord): order is DeliveredOrder {
  return order.deliveredAt !== null && order.pickedUpAt !== null;
}

function countBundles(delivered: readonly DeliveredOrder[]): Figures['bundling'] {
  const bundling = { alone: 0, withOne: 0, withMore: 0 };
  const byCourier = Map.groupBy(delivered, ({ courierId }) => courierId);
  for (const order of delivered) {
    const others = (byCourier.get(order.courierId) ?? []).filter(
      (other) => other !== order && other.pickedUpAt < order.deliveredAt && order.pickedUpAt < other.deliveredAt,
    );
    if (others.length === 0) bundling.alone += 1;
    else if (others.length === 1) bundling.withOne += 1;
    else bundling.withMore += 1;
  }
  return bundling;
}

function countCouriers({ orders, duties, courierNames }: DayRecords): CourierFigures[] {
  const byCourier = Map.groupBy(orders, ({ courierId }) => courierId);
  return duties
    .map(({ courierId, from, to }) => {
      const own = byCourier.get(courierId) ?? [];
      const spans = own.flatMap(({ acceptedAt, finishedAt }) =>
        acceptedAt === null || finishedAt === null ? [] : [{ from: acceptedAt, to: Math.min(to, finishedAt) }],
      );
      return {
        name: courierNames.get(courierId) ?? courierId,
        onDutyMinutes: minutes(to - from),
        busyMinutes: minutes(lengthOf(spans)),
        delivered: own.filter(isDelivered).length,
      };
    })
    .toSorted((a, b) => b.onDutyMinutes - a.onDutyMinutes || b.busyMinutes - a.busyMinutes);
}

/** Total length of all spans, with overlaps counted once. */
function lengthOf(spans: readonly { from: number; to: number }[]): number {
  let length = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    length += Math.max(0, to - Math.max(from, reached));
    reached = Math.max(reached, to);
  }
  return length;
}

function countHalfHours(orders: readonly OrderRecord[], opensAt: Instant): Figures['halfHours'] {
  const last = Math.max(opensAt, ...orders.map(({ placedAt, finishedAt }) => finishedAt ?? placedAt));
  const count = Math.floor((last - opensAt) / HALF_HOUR_MS) + 1;
  return Array.from({ length: count }, (_, index) => {
    const from = opensAt + index * HALF_HOUR_MS;
    const isWithin = (at: Instant | null): boolean => at !== null && at >= from && at < from + HALF_HOUR_MS;
    return {
      from,
      placed: orders.filter(({ placedAt }) => isWithin(placedAt)).length,
      delivered: orders.filter(({ deliveredAt }) => isWithin(deliveredAt)).length,
    };
  });
}

function minutes(ms: number): number {
  return ms / MINUTE_MS;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
