// All faults, and what some of them require: a settable clock and a small disk.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fetchFakeTime } from '../../harness/clocks/fake-time.ts';
import { mountSmallDisk } from '../../harness/machine/small-disk.ts';
import type { Fault } from './fault.ts';
import { createClockSteps } from './clock-steps.ts';
import { cutClients, cutDatabase } from './cut-connections.ts';
import { createDiskFull } from './disk-full.ts';
import { freezeNode, freezePostgres } from './freeze.ts';
import { killNodes } from './kill-nodes.ts';
import { killPostgres } from './kill-postgres.ts';
import { rollingRestart } from './rolling-restart.ts';
import type { StageOptions } from '../stage/stage.ts';

export const FAULT_KEYS = [
  'kill-nodes',
  'kill-postgres',
  'freeze-node',
  'freeze-postgres',
  'cut-database',
  'cut-clients',
  'rolling-restart',
  'clock',
  'disk-full',
] as const;
export type FaultKey = (typeof FAULT_KEYS)[number];

const DISK_SIZE = '220m';

export interface Kit {
  faults: Record<FaultKey, Fault>;
  /** Stage options that these faults require. */
  stageFor(keys: readonly FaultKey[]): Pick<StageOptions, 'clockEnv' | 'dataDir'>;
}

/** Prepares the requirements of these faults; a missing one becomes the obstacle of its fault. */
export async function withKit<Result>(keys: readonly FaultKey[], work: (kit: Kit) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-chaos-kit-'));
  const fakeTime = keys.includes('clock') ? fetchFakeTime(path.join(folder, 'time')) : 'not selected';
  const disk = keys.includes('disk-full')
    ? await mountSmallDisk(path.join(folder, 'disk'), { size: DISK_SIZE })
    : 'not selected';
  let disksUsed = 0;
  const kit: Kit = {
    faults: {
      'kill-nodes': killNodes,
      'kill-postgres': killPostgres,
      'freeze-node': freezeNode,
      'freeze-postgres': freezePostgres,
      'cut-database': cutDatabase,
      'cut-clients': cutClients,
      'rolling-restart': rollingRestart,
      clock: createClockSteps(fakeTime),
      'disk-full': createDiskFull(disk),
    },
    stageFor(wanted) {
      if (wanted.includes('clock') && typeof fakeTime !== 'string') return { clockEnv: fakeTime.env };
      if (!wanted.includes('disk-full') || typeof disk === 'string') return {};
      disksUsed += 1;
      return { dataDir: path.join(disk.folder, `data-${disksUsed}`) };
    },
  };
  try {
    return await work(kit);
  } finally {
    if (typeof disk !== 'string') disk.unmount();
    await rm(folder, { recursive: true, force: true });
  }
}
