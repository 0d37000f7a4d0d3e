import { expect, test } from 'vitest';
import type { Place } from '../../../../../src/domain/geo.ts';
import { createPositionReporter, REPORT_INTERVAL_MS, SIGN_OF_LIFE_MS } from './position-reporter.ts';

const at = (latitude: number): Place => ({ latitude, longitude: 0 });
const inTunnel = (): Promise<never> => Promise.reject(new Error('in a tunnel'));

/** A phone that does not move by default. */
function createScene(phone: { post?: () => Promise<unknown>; locate?: () => Promise<Place | undefined> } = {}) {
  const { post = inTunnel, locate = () => Promise.resolve(latest) } = phone;
  let now = 0;
  let latest: Place | undefined;
  let due: { at: number; run: () => void } | undefined;
  const posted: { at: number; latitude: number | null }[] = [];
  const reporter = createPositionReporter({
    post: (place) => {
      posted.push({ at: now, latitude: place?.latitude ?? null });
      return post();
    },
    locate,
    now: () => now,
    wait: (run, delayMs) => {
      const mine = { at: now + delayMs, run };
      due = mine;
      return () => {
        if (due === mine) due = undefined;
      };
    },
  });
  /** Runs all pending callbacks. */
  const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  return {
    reporter,
    posted,
    settle,
    move(latitude: number) {
      latest = at(latitude);
      reporter.move(latest);
    },
    async passUntil(time: number) {
      await settle();
      while (due !== undefined && due.at <= time) {
        const { at: dueAt, run } = due;
        due = undefined;
        now = dueAt;
        run();
        await settle();
      }
      now = time;
    },
  };
}

test('frequent movement is reported at most every few seconds, with the latest position', async () => {
  const { move, posted, passUntil } = createScene();
  for (let second = 0; second <= 12; second += 1) {
    await passUntil(second * 1_000);
    move(second);
  }
  await passUntil(13_000);
  expect(posted).toEqual([
    { at: 0, latitude: 0 },
    { at: REPORT_INTERVAL_MS, latitude: 4 },
    { at: 2 * REPORT_INTERVAL_MS, latitude: 9 },
  ]);
});

test('a stationary courier sends heartbeats, and none after going off duty', async () => {
  const { reporter, move, posted, passUntil } = createScene();
  move(1);
  await passUntil(2 * SIGN_OF_LIFE_MS);
  expect(posted.map((one) => one.at)).toEqual([0, SIGN_OF_LIFE_MS, 2 * SIGN_OF_LIFE_MS]);
  reporter.stop();
  move(2);
  await passUntil(10 * SIGN_OF_LIFE_MS);
  expect(posted.length).toBe(3);
});

test('while a report is being sent no other starts, and then the newest position is sent', async () => {
  let end = (): void => undefined;
  const { move, posted, passUntil } = createScene({
    post: () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  });
  for (let second = 0; second <= 60; second += 1) {
    await passUntil(second * 1_000);
    move(second);
  }
  expect(posted).toEqual([{ at: 0, latitude: 0 }]);
  end();
  await passUntil(61_000);
  expect(posted).toEqual([
    { at: 0, latitude: 0 },
    { at: 60_000, latitude: 60 },
  ]);
});

test('a heartbeat has the position that the phone confirms', async () => {
  const { move, posted, passUntil } = createScene({ locate: () => Promise.resolve(at(7)) });
  move(1);
  await passUntil(SIGN_OF_LIFE_MS);
  expect(posted).toEqual([
    { at: 0, latitude: 1 },
    { at: SIGN_OF_LIFE_MS, latitude: 7 },
  ]);
});

test('after the phone loses its position, heartbeats are sent without one until it knows one again', async () => {
  let known: Place | undefined;
  const { move, posted, passUntil } = createScene({ locate: () => Promise.resolve(known) });
  move(1);
  await passUntil(3 * SIGN_OF_LIFE_MS);
  expect(posted.map(({ latitude }) => latitude)).toEqual([1, null, null, null]);
  known = at(2);
  await passUntil(4 * SIGN_OF_LIFE_MS);
  expect(posted.at(-1)).toEqual({ at: 4 * SIGN_OF_LIFE_MS, latitude: 2 });
});

test('a phone that never answers a position request still sends heartbeats', async () => {
  const { move, posted, passUntil } = createScene({ locate: () => new Promise(() => undefined) });
  move(1);
  await passUntil(3 * SIGN_OF_LIFE_MS);
  expect(posted.map(({ latitude }) => latitude)).toEqual([1, null, null]);
});

test('once position access is revoked, nothing is requested or reported, including a pending report', async () => {
  let asked = 0;
  const scene = createScene({
    locate: () => {
      asked += 1;
      return Promise.resolve(at(9));
    },
  });
  scene.move(1);
  await scene.passUntil(1_000);
  scene.move(2);
  scene.reporter.lose();
  await scene.passUntil(10 * SIGN_OF_LIFE_MS);
  expect([scene.posted.length, asked]).toEqual([1, 0]);
  scene.move(3);
  await scene.passUntil(11 * SIGN_OF_LIFE_MS);
  expect(scene.posted.at(1)).toMatchObject({ latitude: 3 });
});

test('a position answer from before a later movement does not replace the newer position', async () => {
  let answer = (_place: Place): void => undefined;
  const { move, posted, passUntil } = createScene({
    locate: () =>
      new Promise<Place>((resolve) => {
        answer = resolve;
      }),
  });
  move(1);
  await passUntil(SIGN_OF_LIFE_MS);
  move(2);
  answer(at(1));
  await passUntil(SIGN_OF_LIFE_MS + REPORT_INTERVAL_MS);
  expect(posted.map(({ latitude }) => latitude)).toEqual([1, 2]);
});
