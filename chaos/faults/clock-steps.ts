// The machine's wall clock is set forward and back by hours, for nodes and receivers alike, by libfaketime. Whenever it is
// set back, a node dies.
import { setTimeout as pause } from 'node:timers/promises';
import type { FakeTime } from '../stage/fake-time.ts';
import type { Fault } from './fault.ts';

// In seconds of the world; the service's own clock hurries, so that each is four hours to it.
const STEPS = [-240, 0, 240, 0];
/** libfaketime looks at its file once a second, counted in whole seconds; what was begun before goes by the old time. */
const NOTICED_MS = 3_000;

export function createClockSteps(fakeTime: FakeTime | string): Fault {
  return {
    name: 'clock steps of four hours',
    isKill: false,
    findObstacle: () => (typeof fakeTime === 'string' ? fakeTime : undefined),
    async run(stage, { chance, times, onDone }) {
      if (typeof fakeTime === 'string') return;
      let current = 0;
      for (let count = 0; count < times; count += 1) {
        for (const step of STEPS) {
          const isBack = step < current;
          const dying = chance.below(stage.slots.length);
          // Others will find what it held, with due times that lie in the future by then.
          if (isBack) await stage.killNode(dying);
          const from = Date.now();
          fakeTime.set(step);
          await pause(NOTICED_MS);
          stage.clockSteps.push({ from, to: Date.now(), byMs: (step - current) * 1_000 });
          current = step;
          if (isBack) await stage.startNode(dying);
        }
        onDone();
      }
    },
  };
}
