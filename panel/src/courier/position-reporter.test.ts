import { expect, test } from 'vitest';
import { createPositionReporter, REPORT_INTERVAL_MS, SIGN_OF_LIFE_MS } from './position-reporter.ts';

function createScene() {
  let now = 0;
  let due: { at: number; run: () => void } | undefined;
  const posted: { at: number; latitude: number }[] = [];
  const reporter = createPositionReporter({
    post: ({ latitude }) => {
      posted.push({ at: now, latitude });
      return Promise.reject(new Error('in a tunnel'));
    },
    now: () => now,
    wait: (run, delayMs) => {
      const mine = { at: now + delayMs, run };
      due = mine;
      return () => {
        if (due === mine) due = undefined;
      };
    },
  });
  return {
    reporter,
    posted,
    passUntil(time: number) {
      while (due !== undefined && due.at <= time) {
        const { at, run } = due;
        due = undefined;
        now = at;
        run();
      }
      now = time;
    },
  };
}

test('however often the phone moves, it is told at most every few seconds, and the latest place', () => {
  const { reporter, posted, passUntil } = createScene();
  for (let second = 0; second <= 12; second += 1) {
    passUntil(second * 1_000);
    reporter.move({ latitude: second, longitude: 0 });
  }
  passUntil(13_000);
  expect(posted).toEqual([
    { at: 0, latitude: 0 },
    { at: REPORT_INTERVAL_MS, latitude: 4 },
    { at: 2 * REPORT_INTERVAL_MS, latitude: 9 },
  ]);
});

test('a courier who stands still gives a sign of life, and after the end of duty none', () => {
  const { reporter, posted, passUntil } = createScene();
  reporter.move({ latitude: 1, longitude: 0 });
  passUntil(2 * SIGN_OF_LIFE_MS);
  expect(posted.map(({ at }) => at)).toEqual([0, SIGN_OF_LIFE_MS, 2 * SIGN_OF_LIFE_MS]);
  reporter.stop();
  reporter.move({ latitude: 2, longitude: 0 });
  passUntil(10 * SIGN_OF_LIFE_MS);
  expect(posted.length).toBe(3);
});
