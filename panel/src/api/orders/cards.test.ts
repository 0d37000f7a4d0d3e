import { environmentManager, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { BoardAnswer, BoardOrder } from '../../../../src/contract/panel/orders/orders.ts';
import { createCardReader, takeIn } from './cards.ts';
import { readChangedOrders } from './updates.ts';
import { boardQuery, searchQuery } from './orders.ts';
import { createQueryClient } from '../query-client.ts';

// The library does not refetch automatically when it detects a server.
beforeEach(() => environmentManager.setIsServer(() => false));
afterEach(() => vi.useRealTimers());

/** The fields that these tests compare. */
type Card = Pick<BoardOrder, 'id' | 'version' | 'state' | 'issueCount'>;

function card(id: string, changes: Partial<Card> = {}): BoardOrder {
  const facts: Card = { id, version: 1, state: 'NEW', issueCount: 0, ...changes };
  return facts as BoardOrder;
}

function setUp(orders: BoardOrder[] = [card('a')]) {
  const queryClient = createQueryClient(() => undefined);
  onTestFinished(() => queryClient.clear());
  queryClient.setQueryData(boardQuery.queryKey, { orders });
  const board = () => queryClient.getQueryData(boardQuery.queryKey)?.orders;
  const isStale = () => queryClient.getQueryState(boardQuery.queryKey)?.isInvalidated;
  /** A mounted board; by default the service responds with `orders`. */
  const look = (queryFn: () => Promise<BoardAnswer> = () => Promise.resolve({ orders })) => {
    const reads = vi.fn<() => Promise<BoardAnswer>>(queryFn);
    onTestFinished(new QueryObserver(queryClient, { ...boardQuery, queryFn: reads }).subscribe(() => undefined));
    return reads;
  };
  return { queryClient, board, isStale, look };
}

/** The test decides when each request gets its response. */
function askedCards() {
  const asked: { ids: readonly string[]; answer: (orders: BoardOrder[]) => void; fail: () => void }[] = [];
  const read = (ids: readonly string[]): Promise<BoardAnswer> => {
    const { promise, resolve, reject } = Promise.withResolvers<BoardAnswer>();
    asked.push({ ids, answer: (orders) => resolve({ orders }), fail: () => reject(new Error('no answer')) });
    return promise;
  };
  return { asked, read };
}

test('a board that is not shown is read on its next display, not on each event', async () => {
  const { queryClient, isStale, look } = setUp();
  readChangedOrders(queryClient, ['b']);
  expect(isStale()).toBe(true);
  const reads = look();
  await expect.poll(isStale).toBe(false);
  expect(reads).toHaveBeenCalledTimes(1);
});

test('a shown board is not read completely because of one order', () => {
  const { queryClient, isStale, look } = setUp();
  const reads = look();
  readChangedOrders(queryClient, ['b']);
  expect(isStale()).toBe(false);
  expect(reads).not.toHaveBeenCalled();
});

test('a stale board stays stale after it received a single card', () => {
  const { queryClient, board, isStale } = setUp();
  readChangedOrders(queryClient, ['b']);
  takeIn(queryClient, [card('a', { version: 2 })]);
  expect(board()).toEqual([card('a', { version: 2 })]);
  expect(isStale()).toBe(true);
});

test('search results update their own cards and add no others', () => {
  const { queryClient, board } = setUp();
  const { queryKey } = searchQuery('a');
  queryClient.setQueryData(queryKey, { orders: [card('a')] });
  takeIn(queryClient, [card('a', { version: 2 }), card('b')]);
  expect(queryClient.getQueryData(queryKey)?.orders).toEqual([card('a', { version: 2 })]);
  expect(board()).toEqual([card('a', { version: 2 }), card('b')]);
});

test('cards are requested one request at a time, so that the newest answer is applied last', async () => {
  const { queryClient, board } = setUp();
  const { asked, read } = askedCards();
  const hear = createCardReader(queryClient, read);
  hear(['a']);
  hear(['a']);
  hear(['b', 'a']);
  expect(asked.map(({ ids }) => ids)).toEqual([['a']]);
  asked[0]?.answer([card('a', { issueCount: 1 })]);
  await expect.poll(() => asked.map(({ ids }) => ids)).toEqual([['a'], ['a', 'b']]);
  asked[1]?.answer([card('a'), card('b')]);
  await expect.poll(board).toEqual([card('a'), card('b')]);
});

test('cards that cannot be read, or too many cards, trigger a full read of the board', async () => {
  const { queryClient, look } = setUp();
  const reads = look();
  const { asked, read } = askedCards();
  const hear = createCardReader(queryClient, read);
  hear(['a']);
  asked[0]?.fail();
  await expect.poll(() => reads.mock.calls.length).toBe(1);
  hear(Array.from({ length: 51 }, (_, index) => `many-${index}`));
  await expect.poll(() => reads.mock.calls.length).toBe(2);
  expect(asked).toHaveLength(1);
});

test('a change during a read of the board triggers another full read and no separate card request', async () => {
  const { queryClient, look } = setUp();
  const first = Promise.withResolvers<BoardAnswer>();
  const reads = look(() => first.promise);
  const { asked, read } = askedCards();
  void queryClient.invalidateQueries({ queryKey: boardQuery.queryKey });
  createCardReader(queryClient, read)(['a']);
  first.resolve({ orders: [card('a')] });
  await expect.poll(() => reads.mock.calls.length).toBe(2);
  expect(asked).toEqual([]);
});

test('while shown, the board is read every half minute, even if single cards arrived in between', async () => {
  vi.useFakeTimers();
  const { queryClient, look } = setUp();
  const reads = look();
  for (let second = 0; second < 90; second += 1) {
    await vi.advanceTimersByTimeAsync(1000);
    takeIn(queryClient, [card('a', { version: second })]);
  }
  expect(reads).toHaveBeenCalledTimes(3);
});
