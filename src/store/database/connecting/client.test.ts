import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../../../harness/service/database.ts';
import { openDatabase } from '../database.ts';
import { openSession } from '../dedicated-connection.ts';

const SETTINGS = `
  select current_setting('client_min_messages') as messages, current_setting('synchronous_commit') as commits,
    current_setting('lock_timeout') as locks`;

test('settings in the URL take precedence, except those on which correctness depends', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const url = new URL(database.url);
  url.searchParams.set('options', '-c client_min_messages=error -c synchronous_commit=remote_apply -c lock_timeout=7s');
  const db = openDatabase({ url: url.href });
  const session = await openSession({ url: url.href, channels: [], onNotification: () => undefined });
  // Otherwise an unreplicated commit goes unnoticed.
  expect(await db.query(SETTINGS)).toEqual([{ messages: 'warning', commits: 'remote_apply', locks: '7s' }]);
  // Otherwise heartbeats wait for the standby.
  expect(await session.query(SETTINGS)).toMatchObject([{ commits: 'local', locks: '7s' }]);
  await Promise.all([db.close(), session.close()]);
});
