// SIGSTOP: the process is alive and connected but does nothing. Other nodes take over the leases
// of a frozen node; all nodes have to wait for a frozen database.
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './fault.ts';

/** Ensures that work is under way when the freeze starts. */
const LOAD_FIRST_MS = 2_000;

export const freezeNode: Fault = {
  name: 'SIGSTOP of a node',
  isKill: false,
  async run(stage, { chance, times, freezeMs, onDone }) {
    for (let count = 0; count < times; count += 1) {
      await pause(LOAD_FIRST_MS + chance.below(1_000));
      const { node } = chance.pick(stage.slots);
      node?.freeze();
      await pause(freezeMs);
      node?.thaw();
      onDone();
    }
  },
};

export const freezePostgres: Fault = {
  name: 'SIGSTOP of PostgreSQL',
  isKill: false,
  async run(stage, { chance, times, freezeMs, onDone }) {
    for (let count = 0; count < times; count += 1) {
      await pause(LOAD_FIRST_MS + chance.below(1_000));
      await stage.postgres.signalAll('SIGSTOP');
      await pause(freezeMs);
      await stage.postgres.signalAll('SIGCONT');
      onDone();
      await pause(1_000);
    }
  },
};
