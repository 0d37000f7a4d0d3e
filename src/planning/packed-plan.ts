// A request and its answer on their way between the service and its planning thread. Copying a thousand orders as they
// are takes the API's own thread milliseconds; as one array of numbers, which is handed over and not copied, it takes
// next to nothing. What is written first is read first, so both sides name the fields in the same order.
import { VEHICLES, type Vehicle } from '../domain/courier.ts';
import type { Place } from '../domain/geo.ts';
import type { CourierToPlan, OrderReason, OrderToPlan, PlanAnswer, PlannedOrder, PlanRequest } from './plan-request.ts';

interface Packed {
  numbers: Float64Array<ArrayBuffer>;
  /** Ids that occur again and again are sent once, and stand among the numbers by theirs. */
  names: string[];
}

export interface PackedRequest extends Packed {
  now: number;
  /** One text is copied far faster than a thousand; no id has a line break. */
  orderIds: string;
  courierCount: number;
  /** Few orders ask for a vehicle or were refused by anybody. */
  wishes: { order: number; vehicles: readonly Vehicle[]; refusedBy: readonly string[] }[];
}

export interface PackedAnswer extends Packed {
  /** Few orders need a new reason. */
  reasons: { order: number; reason: OrderReason }[];
  summary: PlanAnswer['summary'];
}

const ORDER_NUMBERS = 17;
const COURIER_NUMBERS = 7;
const ANSWER_NUMBERS = 6;

/** Null among the numbers: none of those that are sent can be it. */
const NOTHING = Number.NaN;

class Writer {
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly names: string[] = [];
  readonly #numberOf = new Map<string, number>();
  #at = 0;

  constructor(length: number) {
    this.numbers = new Float64Array(length);
  }

  number(value: number | null): void {
    this.numbers[this.#at++] = value ?? NOTHING;
  }

  name(value: string | null): void {
    if (value === null) return this.number(null);
    let number = this.#numberOf.get(value);
    if (number === undefined) {
      number = this.names.push(value) - 1;
      this.#numberOf.set(value, number);
    }
    this.number(number);
  }

  place({ latitude, longitude }: Place): void {
    this.number(latitude);
    this.number(longitude);
  }
}

class Reader {
  readonly #packed: Packed;
  #at = 0;

  constructor(packed: Packed) {
    this.#packed = packed;
  }

  number(): number {
    return this.#packed.numbers[this.#at++] ?? NOTHING;
  }

  numberOrNull(): number | null {
    const value = this.number();
    return Number.isNaN(value) ? null : value;
  }

  name(): string {
    return this.#packed.names[this.number()] ?? '';
  }

  nameOrNull(): string | null {
    return this.#packed.names[this.number()] ?? null;
  }

  place(): Place {
    return { latitude: this.number(), longitude: this.number() };
  }
}

export function packRequest({ now, orders, couriers }: PlanRequest): PackedRequest {
  const writer = new Writer(ORDER_NUMBERS * orders.length + COURIER_NUMBERS * couriers.length);
  const wishes: PackedRequest['wishes'] = [];
  for (const [index, order] of orders.entries()) {
    writeOrder(writer, order);
    const { vehicles, refusedBy } = order;
    if (vehicles.length > 0 || refusedBy.length > 0) wishes.push({ order: index, vehicles, refusedBy });
  }
  for (const courier of couriers) writeCourier(writer, courier);
  const orderIds = orders.map(({ id }) => id).join('\n');
  return { now, numbers: writer.numbers, names: writer.names, orderIds, courierCount: couriers.length, wishes };
}

export function unpackRequest(packed: PackedRequest): PlanRequest {
  const reader = new Reader(packed);
  const ids = packed.orderIds === '' ? [] : packed.orderIds.split('\n');
  const orders = ids.map((id) => readOrder(reader, id));
  for (const { order, vehicles, refusedBy } of packed.wishes)
    Object.assign(orders[order] ?? {}, { vehicles, refusedBy });
  return { now: packed.now, orders, couriers: Array.from({ length: packed.courierCount }, () => readCourier(reader)) };
}

function writeOrder(writer: Writer, order: OrderToPlan): void {
  const { planned } = order;
  writer.name(order.restaurantId);
  writer.place(order.pickup);
  writer.place(order.dropoff);
  writer.number(order.readyAt);
  writer.number(order.doorOpensAt);
  writer.number(order.dueAt);
  writer.number(order.bags);
  writer.number(order.canCombine ? 1 : 0);
  writer.name(order.heldBy);
  writer.number(order.isCarried ? 1 : 0);
  writer.name(order.announcedTo);
  writer.name(order.lockedTo);
  writer.name(planned === null ? null : planned.courierId);
  writer.number(planned === null ? null : planned.pickupPlace);
  writer.number(planned === null ? null : planned.dropoffPlace);
}

function readOrder(reader: Reader, id: string): OrderToPlan {
  return {
    id,
    restaurantId: reader.name(),
    pickup: reader.place(),
    dropoff: reader.place(),
    readyAt: reader.number(),
    doorOpensAt: reader.numberOrNull(),
    dueAt: reader.number(),
    bags: reader.number(),
    canCombine: reader.number() === 1,
    heldBy: reader.nameOrNull(),
    isCarried: reader.number() === 1,
    announcedTo: reader.nameOrNull(),
    lockedTo: reader.nameOrNull(),
    planned: readPlanned(reader),
    vehicles: [],
    refusedBy: [],
  };
}

function readPlanned(reader: Reader): OrderToPlan['planned'] {
  const courierId = reader.nameOrNull();
  const pickupPlace = reader.numberOrNull();
  const dropoffPlace = reader.number();
  return courierId === null ? null : { courierId, pickupPlace, dropoffPlace };
}

function writeCourier(writer: Writer, courier: CourierToPlan): void {
  writer.name(courier.id);
  writer.name(courier.restaurantId);
  writer.number(VEHICLES.indexOf(courier.vehicle));
  writer.number(courier.capacity);
  writer.place(courier.place);
  writer.number(courier.shiftEndsAt);
}

function readCourier(reader: Reader): CourierToPlan {
  return {
    id: reader.name(),
    restaurantId: reader.nameOrNull(),
    vehicle: VEHICLES[reader.number()] ?? 'FOOT',
    capacity: reader.number(),
    place: reader.place(),
    shiftEndsAt: reader.numberOrNull(),
  };
}

/** Orders of an answer are those of the request, in its order. */
export function packAnswer({ orders, summary }: PlanAnswer): PackedAnswer {
  const writer = new Writer(ANSWER_NUMBERS * orders.length);
  for (const planned of orders) {
    writer.name(planned.courierId);
    writer.number(planned.pickupPlace);
    writer.number(planned.dropoffPlace);
    writer.number(planned.pickupAt);
    writer.number(planned.dropoffAt);
    writer.number(planned.leaveAt);
  }
  const reasons = orders.flatMap(({ reason }, order) => (reason === undefined ? [] : [{ order, reason }]));
  return { numbers: writer.numbers, names: writer.names, reasons, summary };
}

export function unpackAnswer(packed: PackedAnswer, { orders }: PlanRequest): PlanAnswer {
  const reader = new Reader(packed);
  const planned = orders.map(({ id }): PlannedOrder => ({
    orderId: id,
    courierId: reader.nameOrNull(),
    pickupPlace: reader.numberOrNull(),
    dropoffPlace: reader.numberOrNull(),
    pickupAt: reader.numberOrNull(),
    dropoffAt: reader.numberOrNull(),
    leaveAt: reader.numberOrNull(),
    reason: undefined,
  }));
  for (const { order, reason } of packed.reasons) Object.assign(planned[order] ?? {}, { reason });
  return { orders: planned, summary: packed.summary };
}
