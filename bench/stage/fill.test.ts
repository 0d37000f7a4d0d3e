import { Client } from 'pg';
import { afterEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/store/database/database.ts';
import { claimDueDeliveries } from '../../src/store/webhooks/claim.ts';
import { startService } from '../../harness/service/service.ts';
import { addPastWeeks, Filler } from './fill.ts';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function prepare() {
  const service = await startService({ roles: ['api'] });
  undo.push(() => service.stop());
  const restaurants = [await service.addRestaurant(), await service.addRestaurant()];
  const db = openDatabase({ url: service.databaseUrl });
  undo.push(() => db.close());
  const client = new Client({ connectionString: service.databaseUrl });
  await client.connect();
  undo.push(() => client.end());
  await addPastWeeks(db);
  const count = async (from: string): Promise<number> =>
    Number((await client.query<{ count: string }>(`select count(*) from ${from}`)).rows[0]?.count);
  return { db, count, filler: new Filler(client, 1_000), restaurantIds: restaurants.map(({ id }) => id) };
}

test('a filled history is complete: events without gaps, one attempt each, all within its weeks', async () => {
  const { count, filler, restaurantIds } = await prepare();
  const shown: number[] = [];
  await filler.addHistory(restaurantIds, 70, (done) => shown.push(done));
  await filler.addHistory(restaurantIds, 70, (done) => shown.push(done));
  expect(shown).toEqual([70, 70]);
  expect(await count('orders')).toBe(20);
  expect(await count('events join attempts on attempts.event_id = events.id')).toBe(140);
  expect(await count('events_rest')).toBe(0);
  expect(await count('attempts_rest')).toBe(0);
  expect(await count(`events where restaurant_id = '${restaurantIds[0]}' and sequence between 1 and 70`)).toBe(70);
  expect(await count('event_counters where last_sequence = 70')).toBe(2);
});

test('filled deliveries can be claimed when due, not before, with the bytes of their event', async () => {
  const { db, filler, restaurantIds } = await prepare();
  await filler.addWaiting(restaurantIds, 6, { dueInSeconds: -60 });
  await filler.addWaiting(restaurantIds, 4, { dueInSeconds: 3_600 });
  const claim = { nodeId: '-1', now: Date.now(), limit: 100, rooms: new Map() };
  const claimed = await db.transaction((tx) => claimDueDeliveries(tx, claim));
  expect(claimed).toHaveLength(6);
  for (const { orderId, body } of claimed) {
    expect(JSON.parse(body)).toMatchObject({ serviceOrderId: orderId, status: 'DELIVERED' });
  }
});
