import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { createPlatform } from '../../platform.ts';
import { openDatabase, type Database } from '../database/database.ts';
import { AREA_LEASE_MS, claimAreas } from './areas.ts';

const { newId } = createPlatform();

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

async function claim(planner: string, areaId: string): Promise<boolean> {
  return (await claimAreas(db, planner, [areaId])).length > 0;
}

async function setLeaseEnd(areaId: string, fromNow: string): Promise<void> {
  await db.query('update planning_areas set held_until = now() + $2::interval where id = $1', [areaId, fromNow]);
}

test('an area has one planner until the lease expires', async () => {
  const [area, one, other] = [newId(), newId(), newId()];
  expect(await claim(one, area)).toBe(true);
  expect(await claim(other, area)).toBe(false);
  expect(await claim(one, area)).toBe(true);
  await setLeaseEnd(area, '-1 second');
  expect(await claim(other, area)).toBe(true);
  expect(await claim(one, area)).toBe(false);
});

test('when the database clock goes back an hour, a lease is neither stolen nor extended by an hour', async () => {
  const [area, dead, other] = [newId(), newId(), newId()];
  await claim(dead, area);
  await setLeaseEnd(area, '1 hour');
  expect(await claim(other, area)).toBe(false);
  const [row] = await db.query<{ heldBy: string; leftMs: number }>(
    `select held_by, (extract(epoch from held_until - clock_timestamp()) * 1000)::float8 as left_ms
     from planning_areas where id = $1`,
    [area],
  );
  expect(row?.heldBy).toBe(dead);
  expect(row?.leftMs).toBeLessThanOrEqual(AREA_LEASE_MS);
});
