import { expect, test, vi } from 'vitest';
import { silentLog, type Log } from '../../platform.ts';
import { StreamPages } from './event-streams.ts';

const NOTHING = { log: silentLog, poll: async () => undefined, onEmpty: () => undefined };

test('a stream ends with the time after which the browser connects again, and no new one is opened', async () => {
  const pages = new StreamPages<null>({ ...NOTHING, maxPages: 1 });
  const page = pages.open(null);
  if (page === undefined) throw new Error('no stream');
  pages.send(page, 'data: last\n\n');
  pages.close();
  let text = '';
  for await (const chunk of page) text += String(chunk);
  expect(text).toMatch(/data: last\n\nretry: \d+\n\n$/);
  expect(pages.open(null)).toBeUndefined();
});

test('pages are polled for while there are any, one poll at a time, and a failed poll is logged', async () => {
  vi.useFakeTimers();
  const polls: PromiseWithResolvers<void>[] = [];
  const poll = (): Promise<void> => {
    const begun = Promise.withResolvers<void>();
    polls.push(begun);
    return begun.promise;
  };
  const onEmpty = vi.fn<() => void>();
  const warn = vi.fn<Log['warn']>();
  const pages = new StreamPages<null>({ maxPages: 2, log: { ...silentLog, warn }, poll, onEmpty });
  const [one, other] = [pages.open(null), pages.open(null)];
  if (one === undefined || other === undefined) throw new Error('no streams');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(polls).toHaveLength(1);
  polls[0]?.reject(new Error('no database'));
  await vi.advanceTimersByTimeAsync(500);
  expect(warn).toHaveBeenCalledExactlyOnceWith({ event: 'live.not_read', reason: 'Error: no database' });
  expect(polls).toHaveLength(2);
  polls[1]?.resolve();
  pages.end(one);
  expect(onEmpty).not.toHaveBeenCalled();
  pages.end(other);
  expect(onEmpty).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(polls).toHaveLength(2);
  vi.useRealTimers();
});
