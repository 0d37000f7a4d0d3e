import { expect, test } from 'vitest';
import { attemptRecord } from '../../../test/scenes/attempt.ts';
import { silentLog, systemClock } from '../../platform.ts';
import { DatabaseUnavailable, type Database, type Queryable } from '../../store/database/database.ts';
import { AttemptRecorder } from './result-recorder.ts';

const RECORD = attemptRecord();
const setAside = { report: () => Promise.resolve() };
/** No test here depends on the length of the pause between two tries. */
const pause = (): Promise<void> => Promise.resolve();

/** The first commit fails after everything was written. Collects the statement names of each transaction. */
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

test('endpoint health lost in a failed commit is written by the next commit, exactly once', async () => {
  const { db, transactions } = databaseThatFailsOnce();
  const recorder = new AttemptRecorder({ db, clock: systemClock, log: silentLog, setAside, pause });
  await recorder.record('1', RECORD);
  await recorder.record('1', { ...RECORD, number: 2 });
  expect(transactions).toEqual([
    ['record_attempts', 'record_endpoint_health'],
    ['record_attempts', 'record_endpoint_health'],
    ['record_attempts'],
  ]);
});

/** Commits fail with the error that `fail` returns, and succeed when it returns none. */
function databaseThatFails(fail: (call: number, eventIds: string) => Error | undefined) {
  let calls = 0;
  const written: string[] = [];
  const db: Database = {
    query: () => Promise.resolve([]),
    async transaction(work) {
      calls += 1;
      let eventIds = '';
      const query: Queryable['query'] = (_, [nodeId, ids] = []) => {
        if (nodeId === '1' && Buffer.isBuffer(ids)) eventIds = ids.toString('hex');
        return Promise.resolve([]);
      };
      const result = await work({ query });
      const error = fail(calls, eventIds);
      if (error !== undefined) throw error;
      written.push(eventIds);
      return result;
    },
    stats: () => ({ total: 0, idle: 0, waiting: 0 }),
    close: () => Promise.resolve(),
  };
  return { db, written, countCalls: () => calls };
}

test('a result waits until an unavailable database is back and is never dropped', async () => {
  const { db, written } = databaseThatFails((call) => (call < 500 ? new DatabaseUnavailable('away') : undefined));
  const recorder = new AttemptRecorder({ db, clock: systemClock, log: silentLog, setAside, pause });
  await recorder.record('1', RECORD);
  expect(written).toHaveLength(1);
});

test('a stopping node does not wait for an unavailable database', async () => {
  const { db, written, countCalls } = databaseThatFails(() => new DatabaseUnavailable('away'));
  const recorder = new AttemptRecorder({ db, clock: systemClock, log: silentLog, setAside, pause });
  recorder.beginStopping();
  await recorder.record('1', RECORD);
  expect(written).toHaveLength(0);
  expect(countCalls()).toBeLessThan(50);
});

test('a result that cannot be written does not fail the others in its batch', async () => {
  const poison = '00000000-0000-7000-8000-00000000dead';
  const { db, written } = databaseThatFails((_, ids) => (ids.includes('dead') ? new Error('refused') : undefined));
  const recorder = new AttemptRecorder({ db, clock: systemClock, log: silentLog, setAside, pause });
  await Promise.all([
    recorder.record('1', { ...RECORD, eventId: poison }),
    recorder.record('1', RECORD),
    recorder.record('1', { ...RECORD, eventId: '00000000-0000-7000-8000-000000000003' }),
  ]);
  // The other two share a commit: a failing batch is halved, not split into single results.
  expect(written).toHaveLength(1);
  expect(written.join()).toContain('000000000001');
  expect(written.join()).toContain('000000000003');
  expect(written.join()).not.toContain('dead');
});

test('the others in the batch do not wait until a result that cannot be written is set aside', async () => {
  const poison = '00000000-0000-7000-8000-00000000dead';
  const asked: string[] = [];
  const { db } = databaseThatFails((_, ids) => {
    asked.push(ids);
    return ids.includes('dead') ? new Error('refused') : undefined;
  });
  const recorder = new AttemptRecorder({ db, clock: systemClock, log: silentLog, setAside, pause });
  const ids = Array.from({ length: 64 }, (_, index) => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`);
  await Promise.all([...ids, poison].map((eventId) => recorder.record('1', { ...RECORD, eventId })));
  expect(asked.length).toBeLessThan(20);
});
