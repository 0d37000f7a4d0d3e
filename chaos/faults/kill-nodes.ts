// kill -9 of nodes at random moments; each is restarted immediately, so there is always work under way.
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './fault.ts';

// Long enough that most nodes have accepted orders by the time they are killed.
const MAX_LIFE_MS = 2_500;

export const killNodes: Fault = {
  name: 'kill -9 of a node',
  isKill: true,
  async run(stage, { chance, times, onDone }) {
    let begun = 0;
    const keepKilling = async (index: number): Promise<void> => {
      while (begun < times) {
        begun += 1;
        await pause(chance.below(MAX_LIFE_MS));
        await stage.killNode(index);
        onDone();
        await stage.startNode(index);
      }
    };
    await Promise.all(stage.slots.map((_, index) => keepKilling(index)));
  },
};
