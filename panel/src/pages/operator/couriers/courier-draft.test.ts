import { expect, test } from 'vitest';
import { draftOf, readDraft } from './courier-draft.ts';

const TYPED = { ...draftOf(null), name: 'Ada' };

test('an empty draft is a pool courier on a bicycle without pay or location', () => {
  expect(readDraft(TYPED)).toEqual({
    profile: {
      name: 'Ada',
      phone: null,
      vehicle: 'BICYCLE',
      capacity: 4,
      payPerOrder: null,
      location: null,
      restaurantId: null,
    },
  });
});

test('typed values are parsed as numbers or reported as errors', () => {
  const full = { ...TYPED, capacity: ' 6 ', pay: '0', latitude: '41,5', longitude: '29', restaurantId: 'moda' };
  expect(readDraft(full)).toMatchObject({
    profile: { capacity: 6, payPerOrder: 0, location: { latitude: 41.5, longitude: 29 }, restaurantId: 'moda' },
  });
  expect(readDraft({ ...TYPED, capacity: '0' })).toEqual({ mistake: 'capacity' });
  expect(readDraft({ ...TYPED, capacity: '1.5' })).toEqual({ mistake: 'capacity' });
  expect(readDraft({ ...TYPED, pay: '4.50' })).toEqual({ mistake: 'pay' });
  expect(readDraft({ ...TYPED, latitude: '41' })).toEqual({ mistake: 'place' });
});
