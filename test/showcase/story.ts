// The orders of the showcase and what happened to each of them, hour by hour.
import type { App } from '../../src/app.ts';
import type { Command } from '../../src/domain/orders/order.ts';
import type { Clock } from '../../src/platform.ts';
import type { Receiver } from '../../harness/receivers/receiver.ts';
import type { TestRestaurant } from '../../harness/service/restaurant.ts';

const MINUTE_MS = 60_000;

/** Runs at the speed of the real clock, from a different time. */
export interface ShiftedClock extends Clock {
  /** Sets the clock to this many minutes before the real time. */
  moveTo(minutesAgo: number): void;
  moveBy(ms: number): void;
}

export function createShiftedClock(minutesAgo: number): ShiftedClock {
  let behindMs = Math.round(minutesAgo * MINUTE_MS);
  return {
    now: () => Date.now() - behindMs,
    monotonicMs: () => performance.now(),
    moveTo: (minutes) => {
      behindMs = Math.round(minutes * MINUTE_MS);
    },
    moveBy: (ms) => {
      behindMs -= ms;
    },
  };
}

export interface ShowcaseSetup {
  app: App;
  address: string;
  clock: ShiftedClock;
  /** Usually answers with success. */
  receiver: Receiver;
  /** Answers with an error. */
  failing: Receiver;
}

/** IDs of orders that get their own page in the showcase. */
export interface ShownOrders {
  delivered: string;
  onDelivery: string;
  withoutLocation: string;
}

export const PLACE = { latitude: 40.9876, longitude: 29.0301 };

const CUSTOMERS = [
  'Elif Kaya',
  'Jonas Weber',
  'Amélie Laurent',
  'Deniz Aksoy',
  'Oliver Grant',
  'Priya Nair',
  'Mateo Ruiz',
  'Sara Lindqvist',
  'Kerem Şahin',
  'Hannah Fischer',
  'Tomás Silva',
];
const STREETS = [
  'Moda Caddesi 12',
  'Bahariye Caddesi 77',
  'Sakız Sokak 4',
  'Rıhtım Caddesi 101',
  'Leylek Sokak 9',
  'Yoğurtçu Parkı Caddesi 3',
  'Mühürdar Caddesi 58',
];
const DISHES: [name: string, price: number][] = [
  ['Tagliatelle al ragù', 1850],
  ['Pizza margherita', 1290],
  ['Burrata e pomodori', 1490],
  ['Tiramisù', 790],
  ['Limonata', 450],
];

const degrees = (value: number): number => Number(value.toFixed(5));

/** What a restaurant's system sends; the same number always gives the same order. */
function describeOrder(number: number, changes: object = {}): object {
  const dishes = DISHES.slice(number % 3, (number % 3) + 1 + (number % 3));
  const items = dishes.map(([name, unitPrice], index) => ({
    name,
    quantity: 1 + ((number + index) % 2),
    unitPrice,
    ...(number % 5 === 0 && index === 0 && { notes: 'No onions, please' }),
  }));
  const subtotal = items.reduce((sum, { quantity, unitPrice }) => sum + quantity * unitPrice, 0);
  const total = subtotal + 390;
  return {
    orderId: `WEB-${48_210 + number}`,
    channel: 'Website',
    currency: 'EUR',
    customer: { name: CUSTOMERS[number % CUSTOMERS.length], phone: `+9053255501${10 + (number % 80)}` },
    pickup: { location: PLACE, phone: '+902165550188' },
    dropoff: {
      ...(number % 3 === 0 && { instructions: 'Second floor, the buzzer is broken: please knock' }),
      address: { line1: STREETS[number % STREETS.length], district: 'Kadıköy', city: 'İstanbul', postalCode: '34710' },
      location: {
        latitude: degrees(40.979 + ((number * 37) % 100) / 6000),
        longitude: degrees(29.021 + ((number * 53) % 100) / 5500),
      },
    },
    items,
    totals: { subtotal, deliveryFee: 390, total },
    payment:
      number % 4 === 1
        ? {
            status: 'COLLECT_ON_DELIVERY',
            method: 'CASH',
            amountToCollect: total,
            cashTendered: Math.ceil(total / 5000) * 5000,
          }
        : { status: 'PAID', method: 'ONLINE' },
    ...(number % 6 === 0 && { notes: { kitchen: 'Nut allergy' } }),
    ...changes,
  };
}

type Step = Exclude<Command['name'], 'cancel' | 'decline' | 'expire' | 'reoffer' | 'select'>;
const ANSWER_MINUTES = 0.5;
const WHOLE_WAY: Step[] = ['approve', 'assign', 'accept', 'prepare', 'pick_up', 'deliver'];

/** Creates the events in chronological order. */
export class Story {
  readonly #setup: ShowcaseSetup;
  readonly #couriers: string[];
  #number = 0;

  constructor(setup: ShowcaseSetup, couriers: string[]) {
    this.#setup = setup;
    this.#couriers = couriers;
  }

  /** A day of orders, all of them delivered. */
  async livePast(restaurant: TestRestaurant, count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const minutesAgo = 24 * 60 - Math.floor((index * 23 * 60) / count);
      const id = await this.#place(restaurant, minutesAgo);
      await this.#walk(id, WHOLE_WAY, { minutesAgo, stepMinutes: 5 });
    }
  }

  /** Orders of a restaurant whose webhooks all fail. */
  async fail(restaurant: TestRestaurant, whenMinutesAgo: readonly number[]): Promise<void> {
    for (const minutesAgo of whenMinutesAgo) {
      const id = await this.#place(restaurant, minutesAgo);
      await this.#walk(id, ['approve', 'prepare'], { minutesAgo, stepMinutes: 4 });
    }
  }

  /** Orders in every state, as on an ordinary evening. */
  async fillBoard(restaurant: TestRestaurant): Promise<ShownOrders> {
    const walk = async (minutesAgo: number, steps: Step[], changes: object = {}): Promise<string> => {
      const id = await this.#place(restaurant, minutesAgo, changes);
      await this.#walk(id, steps, { minutesAgo, stepMinutes: minutesAgo / (steps.length + 1) });
      return id;
    };
    const delivered = await walk(52, WHOLE_WAY);
    await walk(47, WHOLE_WAY);
    const canceled = await walk(44, ['approve']);
    await this.#give(canceled, {
      name: 'cancel',
      cancellation: { reasonId: 'CUSTOMER_REQUEST', by: 'Restaurant', text: 'The customer called' },
    });
    const onDelivery = await walk(38, WHOLE_WAY.slice(0, 5));
    await walk(34, WHOLE_WAY.slice(0, 5));
    for (const minutes of [29, 26]) await walk(minutes, WHOLE_WAY.slice(0, 4));
    for (const minutes of [23, 21, 18]) await walk(minutes, WHOLE_WAY.slice(0, 3));
    await walk(16, ['approve', 'assign']);
    for (const minutes of [14, 11]) await walk(minutes, ['approve', 'route']);
    await walk(9, ['approve']);
    const address = { line1: 'Kadife Sokak 21', district: 'Kadıköy', city: 'İstanbul' };
    const withoutLocation = await walk(7, ['approve'], { dropoff: { address } });
    for (const minutes of [2.6, 1.4, 0.7, 0.3]) await walk(minutes, []);
    return { delivered, onDelivery, withoutLocation };
  }

  /** Waits until every due webhook has been attempted. */
  async settle(): Promise<void> {
    const { app, clock } = this.#setup;
    for (;;) {
      const [row] = await app.db.query<{ open: boolean }>(
        'select exists (select from deliveries where leased_by is not null or due_at <= $1) as open',
        [new Date(clock.now())],
      );
      if (row?.open !== true) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #place(restaurant: TestRestaurant, minutesAgo: number, changes: object = {}): Promise<string> {
    const { address, clock } = this.#setup;
    clock.moveTo(minutesAgo);
    this.#number += 1;
    const answer = await fetch(`${address}/webhook/third-party/order`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': restaurant.apiKey },
      body: JSON.stringify({ ...describeOrder(this.#number, changes), restaurantId: restaurant.restaurantId }),
    });
    if (answer.status !== 201) throw new Error(`not placed: ${await answer.text()}`);
    return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
  }

  async #walk(id: string, steps: Step[], pace: { minutesAgo: number; stepMinutes: number }): Promise<void> {
    const courierId = this.#couriers[this.#number % 4] ?? '';
    let minutesAgo = pace.minutesAgo;
    for (const name of steps) {
      minutesAgo -= pace.stepMinutes;
      // An offer is valid for only a minute, so its answer does not use the normal pace.
      this.#setup.clock.moveTo(name === 'accept' ? minutesAgo + pace.stepMinutes - ANSWER_MINUTES : minutesAgo);
      await this.#give(id, name === 'assign' ? { name, courierId } : { name }, courierId);
      await this.settle();
    }
    if (steps.length > 1 && steps.length < WHOLE_WAY.length) await this.#plan(id, courierId);
  }

  async #give(orderId: string, command: Command, courierId = ''): Promise<void> {
    const isCourier = ['accept', 'pick_up', 'deliver'].includes(command.name);
    const role = command.name === 'route' ? 'planner' : 'restaurant';
    const actor = isCourier ? { role: 'courier' as const, courierId } : ({ role } as const);
    const result = await this.#setup.app.changer.change({ scope: 'everything', orderId, command, actor });
    if (result.kind === 'refused') throw new Error(`${command.name}: ${result.refusal.message}`);
  }

  async #plan(orderId: string, courierId: string): Promise<void> {
    const at = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS);
    await this.#setup.app.db.query(
      `insert into order_plans (order_id, courier_id, pickup_at, dropoff_at) values ($1, $2, $3, $4)
       on conflict (order_id) do update set pickup_at = excluded.pickup_at, dropoff_at = excluded.dropoff_at`,
      [orderId, courierId, at(4 + (this.#number % 5)), at(14 + (this.#number % 11))],
    );
  }
}
