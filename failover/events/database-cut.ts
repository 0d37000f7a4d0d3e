// The connections between one node and the primary are cut: at random bytes, all at once, or nothing arrives any more
// while they stay open.
import { setTimeout as pause } from 'node:timers/promises';
import type { EventKind } from './event.ts';

const CUTS_MS = 2_000;
/** Longer than the deadline of a request, and than the time after which a node without commits is not ready. */
const SILENT_MS = 7_000;

export const databaseCut: EventKind = {
  title: 'Cut between a node and the primary',
  mayFail: true,
  maxGapMs: null,
  async run({ stage, chance, mark }) {
    const { databaseLine: line } = stage;
    const before = line.cuts;
    switch (chance.pick(['at random bytes', 'at once', 'silently'] as const)) {
      case 'at random bytes':
        mark('connections are cut at random bytes');
        line.cutAtRandom(chance);
        await pause(CUTS_MS);
        line.cutAtRandom(null);
        break;
      case 'at once':
        mark('all connections are cut');
        line.cutAll();
        break;
      case 'silently':
        mark('nothing arrives any more');
        line.hold(true);
        await pause(SILENT_MS);
        line.hold(false);
        // What was sent in the meantime arrives, as after a broken route.
        break;
    }
    mark(`connections are no longer disturbed, ${line.cuts - before} were cut`);
    return {};
  },
};
