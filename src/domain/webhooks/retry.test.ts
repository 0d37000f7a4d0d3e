import { expect, test } from 'vitest';
import { nextAttemptAt } from './retry.ts';

test('retry delays follow the contract: 1 m, 5 m, 15 m, 1 h, 4 h, then every 24 h', () => {
  const waitsInMinutes = [1, 2, 3, 4, 5, 6, 7, 8, 1000].map(
    (failures) => (nextAttemptAt(failures, 5_000) - 5_000) / 60_000,
  );
  expect(waitsInMinutes).toEqual([1, 5, 15, 60, 240, 1440, 1440, 1440, 1440]);
});
