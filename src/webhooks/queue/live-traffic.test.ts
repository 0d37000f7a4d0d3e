import { expect, test } from 'vitest';
import { LiveTraffic } from './live-traffic.ts';

test('an endpoint shares the node while another had recent traffic, regardless of its own traffic', () => {
  const traffic = new LiveTraffic();
  const whoHas = (nowMs: number): string[] => ['a', 'b', 'c'].filter((key) => traffic.hasOthersThan(key, nowMs));
  expect(whoHas(0)).toEqual([]);
  traffic.note('a', 0);
  expect(whoHas(1)).toEqual(['b', 'c']);
  traffic.note('b', 500);
  traffic.note('b', 900);
  expect(whoHas(999)).toEqual(['a', 'b', 'c']);
  // The delivery to `a` is no longer recent, so `b` is the only endpoint with live traffic.
  expect(whoHas(1_000)).toEqual(['a', 'c']);
  expect(whoHas(1_900)).toEqual([]);
});
