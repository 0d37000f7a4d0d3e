import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../harness/service/database.ts';
import { openBrowser } from '../../../harness/service/panel-client.ts';
import { startService } from '../../../harness/service/service.ts';
import { hashPassword } from '../../secrets/passwords.ts';
import { migrate } from './migrate.ts';

const FIRST = '0001_foundation.sql';
const RESTAURANT = '0198de30-0000-7000-8000-00000000000a';

test('a user from before the panel signs in with the same password, as owner of the restaurant', async () => {
  const database = await createTestDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    const text = await readFile(new URL(`../../../migrations/${FIRST}`, import.meta.url), 'utf8');
    await client.query('drop schema public cascade; create schema public');
    await client.query(text);
    await client.query(`create table schema_migrations
      (name text primary key, hash text not null, applied_at timestamptz not null default now())`);
    await client.query('insert into schema_migrations (name, hash) values ($1, $2)', [
      FIRST,
      createHash('sha256').update(text).digest('hex'),
    ]);
    await client.query(
      `insert into restaurants (id, provider_restaurant_id, name, time_zone, created_at)
       values ($1, 'R1', 'Moda', 'Europe/Istanbul', now())`,
      [RESTAURANT],
    );
    const hash = await hashPassword('the old password', randomBytes);
    await client.query(
      `insert into users (id, email, role, restaurant_id, password_hash, created_at) values
         (gen_random_uuid(), 'old@example.com', 'restaurant', $1, $2, now()),
         (gen_random_uuid(), 'op@example.com', 'operator', null, $2, now())`,
      [RESTAURANT, hash],
    );
    await migrate(database.url);
    const service = await startService({ databaseUrl: database.url });
    const browser = openBrowser(service.address);
    expect((await browser.signIn({ email: 'old@example.com', password: 'the old password' })).body.next).toBe('done');
    const { session } = (await browser.get('/api/session')).body;
    expect(session).toMatchObject({ role: 'owner', restaurant: { id: RESTAURANT, name: 'Moda' } });
    expect((await browser.signIn({ email: 'op@example.com', password: 'the old password' })).status).toBe(200);
    await service.stop();
  } finally {
    await client.end();
    await database.drop();
  }
});
