// Fills the database's disk and then frees it.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fillDisk, type SmallDisk } from '../../harness/machine/small-disk.ts';
import type { Fault } from './fault.ts';

const FULL_MS = 4_000;

export function createDiskFull(disk: SmallDisk | string): Fault {
  return {
    name: 'disk full',
    isKill: false,
    findObstacle: () => (typeof disk === 'string' ? disk : undefined),
    async run(stage, { times, onDone }) {
      if (typeof disk === 'string') return;
      const filler = path.join(disk.folder, 'filler');
      for (let count = 0; count < times; count += 1) {
        await pause(1_000);
        await fillDisk(filler);
        await pause(FULL_MS);
        await rm(filler);
        // PostgreSQL may have shut down: a checkpoint that cannot be written is a panic.
        await stage.postgres.startAgain();
        onDone();
        await pause(1_000);
      }
    },
  };
}
