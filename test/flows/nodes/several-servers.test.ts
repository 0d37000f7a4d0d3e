// DATABASE_URL with several servers: only the one that accepts writes is used, also after a failover.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openAuthPool } from '../../../src/store/database/auth-pool.ts';
import { describeConnectFailure } from '../../../src/store/database/connect-failure.ts';
import { openDatabase } from '../../../src/store/database/database.ts';
import { openSession } from '../../../src/store/database/dedicated-connection.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { CommitProbe } from '../../../src/store/upkeep/commit-probe.ts';
import { startService, type TestService } from '../../../harness/service/service.ts';
import { clearAway } from '../../processes/embedded.ts';
import { startPair, type Pair } from '../../servers/standby.ts';

let pair: Pair;
let service: TestService | undefined;

beforeAll(async () => {
  pair = await startPair();
}, 60_000);

afterAll(async () => {
  await service?.stop();
  await pair.standby.stop();
  await clearAway({ keepPrepared: false });
});

const WHERE = 'select pg_is_in_recovery() as "isStandby"';

test('control: the first server alone is a standby, and a connection that must write refuses it', async () => {
  const db = openDatabase({ url: pair.standby.url });
  expect(await db.query(WHERE)).toEqual([{ isStandby: true }]);
  await db.close();
  await expect(new CommitProbe(pair.standby.url).run()).rejects.toThrow(/standby/);
  await expect(migrate(pair.standby.url)).rejects.toThrow(
    /accepts no writes \(a standby, or still in recovery\)\. Check that DATABASE_URL names the primary\.$/,
  );
});

test('every kind of connection skips the standby', async () => {
  const { url } = pair;
  const db = openDatabase({ url });
  expect(await db.query(WHERE)).toEqual([{ isStandby: false }]);
  const signIn = openAuthPool({ url, maxConnections: 1, onIdleError: () => undefined });
  const lent = await signIn.connect();
  expect((await lent.query(WHERE)).rows).toEqual([{ isStandby: false }]);
  lent.release();
  const session = await openSession({ url, channels: [], onNotification: () => undefined });
  expect(await session.query(WHERE)).toEqual([{ isStandby: false }]);
  expect(await migrate(url)).toEqual({ applied: [] });
  await Promise.all([db.close(), signIn.end(), session.close()]);
});

test('after a failover, a node uses the new primary', { timeout: 60_000 }, async () => {
  service = await startService({ databaseUrl: pair.url });
  const running = service;
  await pair.primary.stop();
  const db = openDatabase({ url: pair.url });
  const failure = await db.query('select 1').catch((error: Error) => describeConnectFailure(error.cause, pair.url));
  expect(failure).toMatch(
    /^No server of DATABASE_URL accepts writes \(\S+: ENOENT, \S+: a standby, or still in recovery\)\./,
  );
  await db.close();
  await pair.promoteStandby();
  await expect.poll(() => running.app.db.query(WHERE).catch(() => [])).toEqual([{ isStandby: false }]);
  const restaurant = await running.addRestaurant();
  expect((await running.post(restaurant, { orderId: 'after-failover' })).status).toBe(201);
});
