// The wall clock of one node's machine is set forward and back.
import { setTimeout as pause } from 'node:timers/promises';
import type { EventKind } from './event.ts';

const STEPS_SECONDS = [240, 0, -240, 0];
/** libfaketime rereads its file once a second. */
const NOTICED_MS = 2_500;

export const clockJump: EventKind = {
  title: 'Clock jump on a node',
  mayFail: false,
  maxGapMs: null,
  findObstacle: ({ fakeTime }) => (typeof fakeTime === 'string' ? fakeTime : undefined),
  async run({ kit: { fakeTime }, mark }) {
    if (typeof fakeTime === 'string') return {};
    for (const seconds of STEPS_SECONDS) {
      fakeTime.set(seconds);
      mark(seconds === 0 ? 'the clock is right again' : `the clock is ${seconds} s off`);
      await pause(NOTICED_MS);
    }
    return {};
  },
};
