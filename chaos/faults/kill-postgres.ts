// kill -9 of the postmaster under load, then a start with crash recovery.
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './fault.ts';

export const killPostgres: Fault = {
  name: 'kill -9 of PostgreSQL',
  isKill: true,
  async run(stage, { chance, times, onDone }) {
    for (let count = 0; count < times; count += 1) {
      await pause(300 + chance.below(900));
      stage.postgres.kill();
      onDone();
      await stage.postgres.startAgain();
    }
  },
};
