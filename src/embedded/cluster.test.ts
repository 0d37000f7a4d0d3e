import { expect, test } from 'vitest';
import { sharedBuffersFor } from './cluster.ts';

test('a new database uses one eighth of the memory for buffers, within a lower and an upper bound', () => {
  const gigabytes = [0.5, 1, 2, 4, 8, 64];
  expect(gigabytes.map((count) => sharedBuffersFor(count * 2 ** 30))).toEqual([128, 128, 256, 512, 1024, 1024]);
});
