// A city at dinner time for the planner of a real service: kitchens, moving couriers and open orders.
import type { Client } from 'pg';
import { Pool } from 'undici';
import type { Place } from '../../src/domain/geo.ts';
import { SeededRandom } from '../../src/domain/planning/search/seeded-random.ts';
import { withClient } from '../../harness/postgres/cluster.ts';
import type { BenchRestaurant } from '../processes/node-process.ts';
import { nextOrderId, orderContent } from '../processes/orders.ts';

const MIDDLE: Place = { latitude: 41.0, longitude: 29.0 };
/** About 12 km across. */
const SIDE_DEGREES = 0.11;
/** Drop-offs are within two or three kilometers of the kitchen. */
const DELIVERY_DEGREES = 0.045;
/** About a hundred meters, the distance that a courier rides between two reports. */
const STEP_DEGREES = 0.002;
const KITCHENS = 200;
const PREP_MINUTES = { least: 20, spread: 65 };
const AT_ONCE = 32;

export interface CitySize {
  orders: number;
  couriers: number;
}

export class City {
  readonly #random = new SeededRandom(1);
  readonly #kitchens: Place[];
  readonly #databaseUrl: string;

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
    this.#kitchens = Array.from({ length: KITCHENS }, () => this.#draw());
  }

  /** Sets the restaurants' location, so that they have an area, and puts couriers for all restaurants on duty there. */
  async settle(restaurantIds: readonly string[], couriers: number): Promise<void> {
    const places = Array.from({ length: couriers }, () => this.#draw());
    await withClient(this.#databaseUrl, async (client) => {
      await client.query('update restaurants set latitude = $2, longitude = $3 where id = any($1::uuid[])', [
        restaurantIds,
        MIDDLE.latitude,
        MIDDLE.longitude,
      ]);
      await client.query(
        `with hired as (
           insert into couriers (id, name, on_duty, vehicle, created_at)
           select gen_random_uuid(), 'Courier ' || number, true,
             case when number % 3 = 0 then 'MOTORCYCLE' else 'BICYCLE' end, now()
           from generate_series(1, $1::integer) as number
           returning id
         ), numbered as (select id, row_number() over (order by id) as number from hired)
         insert into courier_positions (courier_id, latitude, longitude, reported_at)
         select n.id, p.latitude, p.longitude, now() from numbered n
         join unnest($2::double precision[], $3::double precision[]) with ordinality as p(latitude, longitude, number)
           on p.number = n.number`,
        [couriers, places.map(({ latitude }) => latitude), places.map(({ longitude }) => longitude)],
      );
    });
  }

  /** Moves one in `share` couriers. Uses an open connection, because opening one would disturb the measurement. */
  async moveCouriers(client: Client, share: number): Promise<void> {
    await client.query(
      `update courier_positions set reported_at = now(),
         latitude = latitude + (random() - 0.5) * $1::double precision,
         longitude = longitude + (random() - 0.5) * $1::double precision
       where random() < 1.0 / $2::double precision`,
      [STEP_DEGREES, share],
    );
  }

  /** Marks each courier's first pickup as accepted, so that the planner may not reassign it. */
  async acceptFirstStops(): Promise<void> {
    await withClient(this.#databaseUrl, (client) =>
      client.query(
        `update orders o set state = 'ACCEPTED', courier_id = p.courier_id, courier_offered_at = now(),
           courier_accepted_at = now()
         from order_plans p where p.order_id = o.id and p.pickup_place = 0 and o.state = 'ROUTED'`,
      ),
    );
  }

  /** Cancels the open orders beyond the target number and vacuums the table. */
  async keepOrders(count: number): Promise<void> {
    await withClient(this.#databaseUrl, async (client) => {
      await client.query(
        `update orders set state = 'CANCELED', finished_at = now() where id in (
           select id from orders where finished_at is null order by state = 'NEW', created_at offset $1)`,
        [count],
      );
      // Only this bench ends thousands of orders in one statement; queries for open orders should not scan past them.
      await client.query('vacuum (analyze) orders');
    });
  }

  async placeOrders(address: string, restaurant: BenchRestaurant, count: number): Promise<void> {
    const pool = new Pool(address, { connections: AT_ONCE });
    let left = count;
    const lane = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await this.placeOrder(pool, restaurant);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    await pool.close();
  }

  /** Returns the service's order id once the order is committed. */
  async placeOrder(pool: Pool, { restaurantId, apiKey }: BenchRestaurant): Promise<string> {
    const kitchen = this.#kitchens[this.#random.nextBelow(KITCHENS)] ?? MIDDLE;
    const content = {
      ...orderContent(nextOrderId(), restaurantId),
      pickup: { location: kitchen },
      dropoff: { location: this.#draw(kitchen, DELIVERY_DEGREES) },
      timing: { asap: true, prepMinutes: PREP_MINUTES.least + this.#random.nextBelow(PREP_MINUTES.spread) },
    };
    const answer = await pool.request({
      path: '/webhook/third-party/order',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify(content),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 201) throw new Error(`an order failed with status ${answer.statusCode}: ${text}`);
    return (JSON.parse(text) as { serviceOrderId: string }).serviceOrderId;
  }

  drawPauseMs({ least, spread }: { least: number; spread: number }): number {
    return least + this.#random.nextBelow(spread);
  }

  #draw(around = MIDDLE, sideDegrees = SIDE_DEGREES): Place {
    const share = (): number => this.#random.nextBelow(1_000_000) / 1_000_000 - 0.5;
    const narrowing = Math.cos((MIDDLE.latitude * Math.PI) / 180);
    return {
      latitude: around.latitude + share() * sideDegrees,
      longitude: around.longitude + (share() * sideDegrees) / narrowing,
    };
  }
}
