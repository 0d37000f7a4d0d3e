// libfaketime moves the wall clock forward and back by hours, for nodes and receivers alike. Each time the clock goes
// back, a node is killed.
import { setTimeout as pause } from 'node:timers/promises';
import type { FakeTime } from '../../harness/clocks/fake-time.ts';
import type { Fault } from './fault.ts';

// In real seconds. The service's own clock runs 60 times as fast, so each step is four hours to the service.
const STEPS = [-240, 0, 240, 0];
/** libfaketime rereads its file once a second, in whole seconds; calls that started earlier use the old time. */
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
          // Other nodes take over its leases, whose due times are then in the future.
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
