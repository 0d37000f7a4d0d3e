// Helpers of the order pages: groups, money, addresses, coordinates, and commands to paste.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { BoardOrder } from '../../../../../src/contract/panel/orders/orders.ts';
import { mergeOrders } from '../../../api/orders/board-merge.ts';
import { formatAddress } from './address-lines.ts';
import { groupOrders } from '../board/groups.ts';
import { readCoordinates, showDegrees } from '../../../ui/forms/coordinates.ts';
import { toCurl } from '../../../parts/webhooks/curl.ts';
import { formatMoney } from '../../../parts/orders/money.ts';

function order(id: string, facts: Partial<BoardOrder>): BoardOrder {
  return {
    id,
    orderId: id,
    displayId: null,
    orderNumber: '1',
    state: 'NEW',
    version: 1,
    createdAt: '2026-03-01T12:00:00.000Z',
    changedAt: '2026-03-01T12:00:00.000Z',
    wantedAt: null,
    deadlineAt: null,
    customer: null,
    phone: null,
    destination: null,
    itemCount: 0,
    total: null,
    toCollect: null,
    currency: null,
    courierId: null,
    courierName: null,
    courierAcceptedAt: null,
    kitchenReadyAt: null,
    pickupAt: null,
    dropoffAt: null,
    issueCount: 0,
    cancelReasonId: null,
    ...facts,
  };
}

test('live orders are listed oldest first, and finished ones most recent first', () => {
  const groups = groupOrders([
    order('b', { createdAt: '2026-03-01T12:05:00.000Z' }),
    order('a', {}),
    order('c', { state: 'DELIVERED', changedAt: '2026-03-01T12:10:00.000Z' }),
    order('d', { state: 'CANCELED', changedAt: '2026-03-01T12:20:00.000Z' }),
  ]);
  const ids = Object.fromEntries(groups.map(({ name, orders }) => [name, orders.map(({ id }) => id)]));
  expect(ids).toMatchObject({ NEW: ['a', 'b'], ROUTED: [], FINISHED: ['d', 'c'] });
  expect(groups).toHaveLength(8);
});

test('an outdated answer does not restore an older state', () => {
  const board = { orders: [order('a', { version: 3, state: 'ROUTED' })] };
  expect(mergeOrders(board, [order('a', { version: 2, state: 'VALIDATED' })]).orders[0]?.state).toBe('ROUTED');
  expect(mergeOrders(board, [order('a', { version: 4, state: 'ASSIGNED' })]).orders[0]?.state).toBe('ASSIGNED');
  expect(mergeOrders(board, [order('b', {})]).orders.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('amounts use the decimals of their currency', () => {
  expect(formatMoney(1234, 'EUR')).toBe('€12.34');
  expect(formatMoney(1234, 'JPY')).toBe('¥1,234');
  expect(formatMoney(1234, 'KWD')).toMatch(/1\.234/);
});

test('an address is shown as formatted, or composed from its parts', () => {
  expect(formatAddress({ formatted: '1 High St, Oxford', city: 'Oxford', floor: '2' })).toEqual([
    '1 High St, Oxford',
    '2',
  ]);
  expect(formatAddress({ line1: '1 High St', postalCode: 'OX1', city: 'Oxford' })).toEqual(['1 High St', 'OX1 Oxford']);
  expect(formatAddress(undefined)).toEqual([]);
});

test('coordinates are accepted with decimal point or comma, and only if they are on Earth', () => {
  expect(readCoordinates('40.98', '29,02')).toEqual({ latitude: 40.98, longitude: 29.02 });
  expect(readCoordinates('-33.9', '−151.2')).toEqual({ latitude: -33.9, longitude: -151.2 });
  for (const wrong of ['', '91', 'north', '1e1', '4 0']) expect(readCoordinates(wrong, '29')).toBeUndefined();
  expect(readCoordinates('40', '181')).toBeUndefined();
  expect(showDegrees(29.123_456_789)).toBe('29.123457');
});

test('a copied command passes exactly the given bytes to the shell', () => {
  const body = `{"a":"it's $HOME \`id\` \\\\ \\"x\\""}`;
  const curl = toCurl({ url: 'https://example.com/a?b=c', headers: { 'X-Test': "o'clock" }, body });
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; ${curl}`;
  const words = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
  expect(words).toEqual(['-X', 'POST', 'https://example.com/a?b=c', '-H', "X-Test: o'clock", '--data-binary', body]);
});
