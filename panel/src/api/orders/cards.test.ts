import { environmentManager, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { BoardAnswer, BoardOrder } from '../../../../src/contract/panel/orders/orders.ts';
import { createCardReader, takeIn } from './cards.ts';
import { hearOfOrders } from './updates.ts';
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

test('a board that nobody looks at is not read when something happens, but when somebody comes', async () => {
  const { queryClient, isStale, look } = setUp();
  hearOfOrders(queryClient, ['b']);
  expect(isStale()).toBe(true);
  const reads = look();
  await expect.poll(isStale).toBe(false);
  expect(reads).toHaveBeenCalledTimes(1);
});

test('a board that somebody looks at is not read whole because of one order', () => {
  const { queryClient, isStale, look } = setUp();
  const reads = look();
  hearOfOrders(queryClient, ['b']);
  expect(isStale()).toBe(false);
  expect(reads).not.toHaveBeenCalled();
});

test('a board that has to be read again still has to when it got a single card', () => {
  const { queryClient, board, isStale } = setUp();
  hearOfOrders(queryClient, ['b']);
  takeIn(queryClient, [card('a', { version: 2 })]);
  expect(board()).toEqual([card('a', { version: 2 })]);
  expect(isStale()).toBe(true);
});

test('what was sought shows what became of it, and nothing besides', () => {
  const { queryClient, board } = setUp();
  const { queryKey } = searchQuery('a');
  queryClient.setQueryData(queryKey, { orders: [card('a')] });
  takeIn(queryClient, [card('a', { version: 2 }), card('b')]);
  expect(queryClient.getQueryData(queryKey)?.orders).toEqual([card('a', { version: 2 })]);
  expect(board()).toEqual([card('a', { version: 2 }), card('b')]);
});

test('cards are asked for one request after another, so that the newest answer is the last', async () => {
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

test('cards that cannot be read, or are too many, make the board be read whole', async () => {
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

test('what changes while the board is read makes it be read once more, and is not asked for alone', async () => {
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

test('while somebody looks, the board is read every half minute, however many cards it got meanwhile', async () => {
  vi.useFakeTimers();
  const { queryClient, look } = setUp();
  const reads = look();
  for (let second = 0; second < 90; second += 1) {
    await vi.advanceTimersByTimeAsync(1000);
    takeIn(queryClient, [card('a', { version: second })]);
  }
  expect(reads).toHaveBeenCalledTimes(3);
});
