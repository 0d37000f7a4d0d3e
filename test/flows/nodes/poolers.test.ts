// Behind a real PgBouncer: with sessions everything works and every safety setting applies; without, nothing starts.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAuthPool } from '../../../src/store/database/auth-pool.ts';
import { refuseTransactionPooling, TransactionPooling } from '../../../src/store/database/connecting/pooler-check.ts';
import { openDatabase } from '../../../src/store/database/database.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { startService } from '../../../harness/service/service.ts';
import { MAIN, serveSettings, START_LIMIT_MS } from '../../processes/serve.ts';
import { isPgBouncerInstalled, startPgBouncer, type PoolerOptions } from '../../servers/pgbouncer.ts';

const isAbsent = !isPgBouncerInstalled();

let database: TestDatabase;
const endings: (() => Promise<void>)[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
  await database.drop();
});

async function pooled(options: PoolerOptions): Promise<string> {
  const pooler = await startPgBouncer(database.url, options);
  endings.push(() => pooler.stop());
  return pooler.url;
}

const SAFETY = `
  select name, setting from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'plan_cache_mode',
    'enable_seqscan', 'jit', 'application_name')`;

type SettingRow = { name: string; setting: string };
const toObject = (rows: readonly SettingRow[]) => Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));

describe(`behind PgBouncer${isAbsent ? ' (skipped: not installed)' : ''}`, () => {
  test.skipIf(isAbsent)('with sessions, every safety setting of every pool applies', async () => {
    for (const url of [await pooled({ mode: 'session' }), database.url]) {
      const db = openDatabase({ url, name: 'waybill-intake', statementTimeoutMs: 7_000 });
      endings.push(() => db.close());
      expect(toObject(await db.query<SettingRow>(SAFETY))).toEqual({
        statement_timeout: '7000',
        lock_timeout: '5000',
        idle_in_transaction_session_timeout: '10000',
        plan_cache_mode: 'force_generic_plan',
        enable_seqscan: 'off',
        jit: 'off',
        application_name: 'waybill-intake',
      });
      const signIn = openAuthPool({ url, maxConnections: 1, onIdleError: () => undefined });
      endings.push(() => signIn.end());
      const lent = await signIn.connect();
      expect(toObject((await lent.query<SettingRow>(SAFETY)).rows)).toMatchObject({
        statement_timeout: '5000',
        lock_timeout: '5000',
        idle_in_transaction_session_timeout: '10000',
        application_name: 'waybill-sign-in',
      });
      lent.release();
    }
  });

  test.skipIf(isAbsent)('with sessions, options in the URL apply, and take precedence', async () => {
    const options = encodeURIComponent('-c lock_timeout=1234 -c work_mem=5MB');
    for (const url of [await pooled({ mode: 'session' }), database.url]) {
      const db = openDatabase({ url: `${url}&options=${options}` });
      endings.push(() => db.close());
      const rows = await db.query<SettingRow>(
        `select name, setting from pg_settings where name in ('lock_timeout', 'work_mem', 'jit')`,
      );
      expect(toObject(rows)).toEqual({ lock_timeout: '1234', work_mem: '5120', jit: 'off' });
    }
  });

  test.skipIf(isAbsent)('with sessions, a node accepts orders and sees other nodes’ notifications', async () => {
    const service = await startService({ databaseUrl: await pooled({ mode: 'session' }) });
    endings.push(() => service.stop());
    const restaurant = await service.addRestaurant();
    expect((await service.post(restaurant, { orderId: 'pooled' })).status).toBe(201);
    await service.app.db.query('update restaurants set integration_enabled = false');
    await service.app.db.query(`select pg_notify('waybill_config', $1)`, [restaurant.id]);
    await expect.poll(async () => (await service.post(restaurant, { orderId: 'later' })).status).toBe(403);
  });

  const MODES: PoolerOptions[] = [
    { mode: 'transaction' },
    { mode: 'transaction', settings: { default_pool_size: 1 } },
    { mode: 'transaction', settings: { server_round_robin: 1, min_pool_size: 4 } },
    { mode: 'transaction', settings: { server_reset_query_always: 1 } },
    { mode: 'statement' },
  ];
  test.skipIf(isAbsent).each(MODES)('without sessions, the check refuses every time: %o', async (options) => {
    const url = await pooled(options);
    // The pooler then has several idle server connections.
    const db = openDatabase({ url });
    endings.push(() => db.close());
    await Promise.allSettled(Array.from({ length: 6 }, () => db.query('select pg_sleep(0.05)')));
    for (let time = 0; time < 10; time += 1) {
      await expect(refuseTransactionPooling(url)).rejects.toThrow(TransactionPooling);
    }
  });

  test.skipIf(isAbsent)('control: sessions pass the check, also with few server connections', async () => {
    for (const settings of [{}, { default_pool_size: 2 }]) {
      const url = await pooled({ mode: 'session', settings });
      for (let time = 0; time < 10; time += 1) await refuseTransactionPooling(url);
    }
    await refuseTransactionPooling(database.url);
  });

  test.skipIf(isAbsent)('without sessions, migrating is refused and leaves no lock behind', async () => {
    const url = await pooled({ mode: 'transaction' });
    await expect(migrate(url)).rejects.toThrow(/pool_mode = session/);
    const db = openDatabase({ url: database.url });
    endings.push(() => db.close());
    expect(
      await db.query(`select from pg_locks where locktype = 'advisory' and database = (
      select oid from pg_database where datname = current_database())`),
    ).toEqual([]);
    expect(await migrate(database.url)).toEqual({ applied: [] });
  });

  test.skipIf(isAbsent)(
    'without sessions, serve and commands exit with a one-line error',
    { timeout: START_LIMIT_MS },
    async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'waybill-pooler-'));
      endings.push(() => rm(folder, { recursive: true }));
      const env = serveSettings({ databaseUrl: await pooled({ mode: 'transaction' }), folder });
      for (const words of [['serve'], ['restaurant', 'list'], ['migrate']]) {
        const { code, stderr } = await run(words, env);
        expect([words, code, stderr.trim().split('\n')]).toEqual([
          words,
          1,
          [expect.stringMatching(/^The connection pooler in front of the database changes sessions/)],
        ]);
      }
    },
  );
});

function run(words: readonly string[], env: Record<string, string>): Promise<{ code: unknown; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...words], { env, timeout: 20_000 }, (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    );
  });
}
