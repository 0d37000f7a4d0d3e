// A city at dinner time for the planner of a real service: kitchens, couriers who ride about, and open orders.
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
/** Doors lie within two or three kilometres of the kitchen. */
const DELIVERY_DEGREES = 0.045;
/** A hundred metres or so, as a courier rides between two reports. */
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

  /** Gives the restaurant its place, so that it has an area, and puts couriers of all restaurants on duty there. */
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

  /** Every `share`-th courier is heard of a little farther on. On a connection that is kept: opening one is felt by all. */
  async moveCouriers(client: Client, share: number): Promise<void> {
    await client.query(
      `update courier_positions set reported_at = now(),
         latitude = latitude + (random() - 0.5) * $1::double precision,
         longitude = longitude + (random() - 0.5) * $1::double precision
       where random() < 1.0 / $2::double precision`,
      [STEP_DEGREES, share],
    );
  }

  /** What each courier is to fetch first counts as accepted: the planner may not take it away. */
  async acceptFirstStops(): Promise<void> {
    await withClient(this.#databaseUrl, (client) =>
      client.query(
        `update orders o set state = 'ACCEPTED', courier_id = p.courier_id, courier_offered_at = now(),
           courier_accepted_at = now()
         from order_plans p where p.order_id = o.id and p.pickup_place = 0 and o.state = 'ROUTED'`,
      ),
    );
  }

  /** Orders beyond the number that the city is to have are gone, as if they had never been, and the table is tidy. */
  async keepOrders(count: number): Promise<void> {
    await withClient(this.#databaseUrl, async (client) => {
      await client.query(
        `update orders set state = 'CANCELED', finished_at = now() where id in (
           select id from orders where finished_at is null order by state = 'NEW', created_at offset $1)`,
        [count],
      );
      // Thousands that end at once are this bench's doing: whoever looks for what is alive should not pass them by.
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

  /** Gives the service's id of it, once it is committed. */
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
    if (answer.statusCode !== 201) throw new Error(`an order was answered with ${answer.statusCode}: ${text}`);
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
