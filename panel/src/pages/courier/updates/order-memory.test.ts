import { expect, test } from 'vitest';
import { compareOrders, withoutNews } from './order-memory.ts';

test('an order that is not carried any more is gone; an offer that went away is not', () => {
  const before = { carried: ['a', 'b'], offered: ['c'] };
  expect(compareOrders(before, { carried: ['b'], offered: [] })).toEqual({ gone: ['a'], given: [] });
});

test('an order that comes without having been offered was given; one that was offered was accepted', () => {
  const before = { carried: ['a'], offered: ['b'] };
  expect(compareOrders(before, { carried: ['a', 'b', 'c'], offered: [] })).toEqual({ gone: [], given: ['c'] });
});

test('an order whose offer went away, and that comes later all the same, was given', () => {
  const later = compareOrders({ carried: [], offered: [] }, { carried: ['a'], offered: [] });
  expect(later).toEqual({ gone: [], given: ['a'] });
});

test('what was not read is news again for a page that opens, and what was read is not', () => {
  const now = { carried: ['kept', 'given', 'read'], offered: ['offered'] };
  const seen = withoutNews(now, new Set(['given', 'lost']));
  expect(compareOrders(seen, now)).toEqual({ gone: ['lost'], given: ['given'] });
});
