// Fills the database's disk and then frees it. Uses a separate small file system, which only root can mount.
import { execFileSync } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './fault.ts';

const SIZE = '220m';
const FULL_MS = 4_000;
const PIECE = Buffer.alloc(1 << 20, 1);

export interface SmallDisk {
  folder: string;
  unmount(): void;
}

/** Returns the reason as a string if the disk cannot be mounted. */
export async function mountSmallDisk(folder: string): Promise<SmallDisk | string> {
  if (process.getuid?.() !== 0) return 'only root may mount a small disk';
  await mkdir(folder, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=700`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return 'mounting a tmpfs is not allowed here';
  }
  const unmount = (): void => {
    process.removeListener('exit', unmount);
    execFileSync('umount', ['-l', folder]);
  };
  // Also unmounts when the run is interrupted.
  process.once('exit', unmount);
  return { folder, unmount };
}

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
        await fill(filler);
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

async function fill(file: string): Promise<void> {
  const handle = await open(file, 'a');
  try {
    for (;;) await handle.write(PIECE);
  } catch {
    // The disk is full.
  } finally {
    await handle.close();
  }
}
