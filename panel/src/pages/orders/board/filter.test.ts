import { expect, test } from 'vitest';
import { filterOrders, readFilter } from './filter.ts';

const NOW = Date.parse('2026-03-01T13:00:00Z');

const CALM = {
  state: 'VALIDATED',
  createdAt: '2026-03-01T12:58:00.000Z',
  wantedAt: null,
  dropoffAt: null,
  issueCount: 0,
  courierId: 'ada',
  toCollect: null,
} as const;

const ORDERS = [
  { id: 'calm', ...CALM },
  { id: 'late', ...CALM, createdAt: '2026-03-01T10:00:00.000Z' },
  { id: 'wrong-dropoff', ...CALM, issueCount: 1 },
  { id: 'nobody', ...CALM, courierId: null },
  { id: 'cash', ...CALM, toCollect: 4090, state: 'PREPARED' },
  { id: 'over', ...CALM, state: 'CANCELED', courierId: null, issueCount: 1, toCollect: 100 },
] as const;

test.each([
  [{}, ['calm', 'late', 'wrong-dropoff', 'nobody', 'cash', 'over']],
  [{ only: 'late' }, ['late']],
  [{ only: 'dropoff-issue' }, ['wrong-dropoff']],
  [{ only: 'no-courier' }, ['nobody']],
  [{ only: 'to-collect' }, ['cash']],
  [{ state: 'PREPARED' }, ['cash']],
  [{ state: 'PREPARED', only: 'late' }, []],
  [{ state: 'nonsense', only: 'nonsense' }, ['calm', 'late', 'wrong-dropoff', 'nobody', 'cash', 'over']],
])('%o shows the matching orders, and finished ones only if their state is selected', (search, ids) => {
  expect(filterOrders(ORDERS, readFilter(search), NOW).map(({ id }) => id)).toEqual(ids);
});
