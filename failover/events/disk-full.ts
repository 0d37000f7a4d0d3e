// The disk of the primary's write-ahead log is full. PostgreSQL stops, and Patroni replaces the primary.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fillDisk } from '../../harness/machine/small-disk.ts';
import { queryMember } from '../cluster/cluster.ts';
import type { Member } from '../cluster/member.ts';
import { MAX_GAP_MS, replacePrimary, type EventKind } from './event.ts';

/** More segments than PostgreSQL keeps ready for reuse. */
const MAX_SEGMENTS = 64;

export const diskFull: EventKind = {
  title: 'Disk full on the primary',
  mayFail: true,
  maxGapMs: MAX_GAP_MS,
  findObstacle: ({ logDisk }) => (typeof logDisk === 'string' ? logDisk : undefined),
  async run(scene) {
    const { former, detectionMs } = await replacePrimary(scene, 'the disk of the primary fills up', async (primary) => {
      if (typeof primary.logDisk !== 'string') await fillDisk(fillerOf(primary.logDisk.folder));
      await useUpSegments(primary);
      scene.mark('the server could not write');
    });
    if (typeof former.logDisk !== 'string') await rm(fillerOf(former.logDisk.folder));
    scene.mark('the disk has space again');
    return { detectionMs };
  },
};

function fillerOf(folder: string): string {
  return path.join(folder, 'filler');
}

/** Segments that are kept for reuse need no space, so they are used up until the server stops. */
async function useUpSegments(primary: Member): Promise<void> {
  for (let count = 0; count < MAX_SEGMENTS; count += 1) {
    try {
      await queryMember(primary, `select pg_logical_emit_message(false, 'rehearsal', ''), pg_switch_wal()`);
    } catch {
      return;
    }
  }
  throw new Error('The server still writes although its disk is full');
}
