import fc from 'fast-check';
import { expect, test } from 'vitest';
import { speedUp } from '../../harness/clocks/fast-clock.ts';
import { CityClock, sinceOf, toCity, toReal } from './clock.ts';

test('city time converts to real time and back within one millisecond', () => {
  const time = fc.integer({ min: 0, max: 2 ** 41 });
  fc.assert(
    fc.property(time, time, fc.integer({ min: 1, max: 600 }), fc.integer({ min: 0, max: 86_400_000 }), (...drawn) => {
      const [realAt, cityAt, speed, laterMs] = drawn;
      const pace = { realAt, cityAt, speed };
      expect(toCity(pace, realAt)).toBe(cityAt);
      expect(Math.abs(toReal(pace, toCity(pace, realAt + laterMs)) - (realAt + laterMs))).toBeLessThan(1.01);
    }),
  );
});

test('the clock of the chaos checks shows the same time', () => {
  const pace = { realAt: 1_794_700_000_000, cityAt: 1_794_650_000_000, speed: 60 };
  const at = pace.realAt + 123_456;
  expect(Math.abs(speedUp({ since: sinceOf(pace), factor: 60 }, at) - toCity(pace, at))).toBeLessThanOrEqual(1);
});

test('waiting for a city time ends after that time, and a past time is not waited for', async () => {
  const clock = new CityClock({ realAt: Date.now(), cityAt: 1_000_000, speed: 600 });
  const at = clock.now() + 12_000;
  await clock.until(at);
  expect(clock.now()).toBeGreaterThanOrEqual(at - 600);
  expect(clock.lagsMs).toHaveLength(1);
  await clock.until(at - 5_000);
  expect(clock.lagsMs).toHaveLength(1);
});
