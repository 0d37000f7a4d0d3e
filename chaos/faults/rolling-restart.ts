// Simulates rolling out a new version: nodes stop gracefully and restart one after the other, under load.
import type { Fault } from './fault.ts';

export const rollingRestart: Fault = {
  name: 'rolling restart',
  isKill: false,
  async run(stage, { times, onDone }) {
    for (let count = 0; count < times; count += 1) {
      const from = Date.now();
      for (const index of stage.slots.keys()) {
        await stage.stopNode(index);
        await stage.startNode(index);
      }
      stage.orderlyStops.push({ from, to: Date.now() });
      onDone();
    }
  },
};
