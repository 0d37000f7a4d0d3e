import { QueryObserver } from '@tanstack/react-query';
import { expect, onTestFinished, test } from 'vitest';
import { createQueryClient } from './query-client.ts';

const KEY = ['orders'];

/** A mounted query; the test decides when each read gets its response. */
function setUp(queryClient = createQueryClient(() => undefined), queryKey = KEY) {
  const reads: { answer: (value: string) => void; fail: () => void }[] = [];
  const queryFn = (): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    reads.push({ answer: resolve, fail: () => reject(new Error('no answer')) });
    return promise;
  };
  const observer = new QueryObserver(queryClient, { queryKey, queryFn });
  onTestFinished(observer.subscribe(() => undefined));
  async function seen(value: string): Promise<void> {
    await expect.poll(() => queryClient.getQueryData(queryKey)).toBe(value);
  }
  async function readsBegun(count: number): Promise<void> {
    await expect.poll(() => reads.length).toBe(count);
  }
  return { queryClient, reads, seen, readsBegun };
}

test('changes during a first read trigger exactly one more read', async () => {
  const { queryClient, reads, seen, readsBegun } = setUp();
  void queryClient.invalidateQueries({ queryKey: KEY });
  const change = queryClient.invalidateQueries({ queryKey: KEY });
  expect(reads).toHaveLength(1);
  reads[0]?.answer('before');
  await readsBegun(2);
  reads[1]?.answer('after');
  await seen('after');
  await change;
  expect(reads).toHaveLength(2);
});

test('a failed first read is still repeated after a change', async () => {
  const { queryClient, reads, seen, readsBegun } = setUp();
  void queryClient.invalidateQueries({ queryKey: KEY });
  reads[0]?.fail();
  await readsBegun(2);
  reads[1]?.answer('after');
  await seen('after');
});

test('a finished read is repeated after a change while other reads are still running', async () => {
  const { queryClient, reads, readsBegun } = setUp();
  setUp(queryClient, ['map']);
  void queryClient.invalidateQueries();
  reads[0]?.answer('before');
  await readsBegun(2);
});

test('events arriving faster than reads finish cancel no read, and the last event is followed by a read', async () => {
  const { queryClient, reads, seen, readsBegun } = setUp();
  reads[0]?.answer('first');
  await seen('first');
  const hearNews = () => void queryClient.invalidateQueries({ queryKey: KEY }, { cancelRefetch: false });
  hearNews();
  hearNews();
  hearNews();
  reads[1]?.answer('second');
  await seen('second');
  await readsBegun(3);
  reads[2]?.answer('third');
  await seen('third');
  expect(reads).toHaveLength(3);
});

test('data that was not being read when it changed is read only once', async () => {
  const { queryClient, reads, seen } = setUp();
  reads[0]?.answer('first');
  await seen('first');
  const change = queryClient.invalidateQueries({ queryKey: KEY });
  reads[1]?.answer('second');
  await change;
  expect(reads).toHaveLength(2);
});
