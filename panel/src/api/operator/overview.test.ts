import { environmentManager, InfiniteQueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { AuditAnswer } from '../../../../src/contract/panel/operator/audit-log.ts';
import { auditLogQuery } from './overview.ts';
import { createQueryClient } from '../query-client.ts';

// The library does not refetch automatically when it detects a server.
beforeEach(() => {
  environmentManager.setIsServer(() => false);
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

function look() {
  const queryClient = createQueryClient(() => undefined);
  onTestFinished(() => queryClient.clear());
  const read = vi.fn<() => Promise<AuditAnswer>>(() => Promise.resolve({ entries: [], next: 1 }));
  const observer = new InfiniteQueryObserver(queryClient, { ...auditLogQuery({}), queryFn: read });
  onTestFinished(observer.subscribe(() => undefined));
  return { observer, read };
}

test('new actions appear in an open audit log', async () => {
  const { read } = look();
  await vi.advanceTimersByTimeAsync(31_000);
  expect(read).toHaveBeenCalledTimes(3);
});

test('the audit log is not refreshed while older pages are being read', async () => {
  const { observer, read } = look();
  await vi.advanceTimersByTimeAsync(0);
  await observer.fetchNextPage();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(read).toHaveBeenCalledTimes(2);
});
