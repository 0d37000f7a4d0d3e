import { expect, test } from 'vitest';
import { compareOrders, withoutNews } from './order-memory.ts';

test('an order that is no longer carried is gone; a withdrawn offer is not', () => {
  const before = { carried: ['a', 'b'], offered: ['c'] };
  expect(compareOrders(before, { carried: ['b'], offered: [] })).toEqual({ gone: ['a'], given: [] });
});

test('an order that appears without an offer was assigned; one that was offered was accepted', () => {
  const before = { carried: ['a'], offered: ['b'] };
  expect(compareOrders(before, { carried: ['a', 'b', 'c'], offered: [] })).toEqual({ gone: [], given: ['c'] });
});

test('an order that appears after its offer was withdrawn was assigned', () => {
  const later = compareOrders({ carried: [], offered: [] }, { carried: ['a'], offered: [] });
  expect(later).toEqual({ gone: [], given: ['a'] });
});

test('unread updates are shown again on a newly opened page, and read ones are not', () => {
  const now = { carried: ['kept', 'given', 'read'], offered: ['offered'] };
  const seen = withoutNews(now, new Set(['given', 'lost']));
  expect(compareOrders(seen, now)).toEqual({ gone: ['lost'], given: ['given'] });
});
