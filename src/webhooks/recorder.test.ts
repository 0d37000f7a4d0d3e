import { expect, test } from 'vitest';
import { silentLog, systemClock } from '../platform.ts';
import { DatabaseUnavailable, type Database, type Queryable } from '../store/database.ts';
import type { AttemptRecord } from '../store/attempts.ts';
import { AttemptRecorder } from './recorder.ts';

const RECORD: AttemptRecord = {
  eventId: '00000000-0000-7000-8000-000000000001',
  restaurantId: '00000000-0000-7000-8000-000000000002',
  endpoint: 'status',
  number: 1,
  delivered: true,
  failures: 0,
  nextAttemptAt: null,
  url: 'https://receiver.example/',
  secretId: null,
  metadataAt: null,
  startedAt: 0,
  endedAt: 1,
  status: 200,
  errorClass: null,
  errorText: null,
  retryAfter: null,
  answer: null,
  remoteAddress: null,
  reusedConnection: false,
  resent: false,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: 1,
  totalMs: 1,
};

/** Its first commit fails, after everything was written; gives the names of the statements, by transaction. */
function databaseThatFailsOnce(): { db: Database; transactions: string[][] } {
  const transactions: string[][] = [];
  const db: Database = {
    query: () => Promise.resolve([]),
    async transaction(work) {
      const names: string[] = [];
      transactions.push(names);
      const query: Queryable['query'] = (statement) => {
        names.push(typeof statement === 'string' ? statement : (statement.name ?? ''));
        return Promise.resolve([]);
      };
      const result = await work({ query });
      if (transactions.length === 1) throw new DatabaseUnavailable('the commit failed');
      return result;
    },
    stats: () => ({ total: 0, idle: 0, waiting: 0 }),
    close: () => Promise.resolve(),
  };
  return { db, transactions };
}

test('what a failed commit would have told of an endpoint is told by the next one, and then not again', async () => {
  const { db, transactions } = databaseThatFailsOnce();
  const recorder = new AttemptRecorder({ db, clock: systemClock, log: silentLog });
  await recorder.record('1', RECORD);
  await recorder.record('1', { ...RECORD, number: 2 });
  expect(transactions).toEqual([
    ['record_attempts', 'record_endpoint_health'],
    ['record_attempts', 'record_endpoint_health'],
    ['record_attempts'],
  ]);
});
