import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../../harness/service/database.ts';
import { CommitProbe } from './commit-probe.ts';

test('a probe that is closed while it connects fails, and leaves no connection behind', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const probe = new CommitProbe(database.url);
  const running = probe.run();
  probe.close();
  await expect(running).rejects.toThrow('closed');
  const client = new Client({ connectionString: database.url });
  await client.connect();
  onTestFinished(() => client.end());
  const countProbes = async (): Promise<number | null> =>
    (
      await client.query(
        `select from pg_stat_activity where datname = current_database() and application_name = 'waybill-commit-probe'`,
      )
    ).rowCount;
  await expect.poll(countProbes).toBe(0);
});

test('control: a probe keeps its connection for the next one', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const probe = new CommitProbe(database.url);
  onTestFinished(() => probe.close());
  await probe.run();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rowCount } = await client.query(
    `select from pg_stat_activity where datname = current_database() and application_name = 'waybill-commit-probe'`,
  );
  await client.end();
  expect(rowCount).toBe(1);
});
