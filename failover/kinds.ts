// All kinds of events, and how often each happens.
import { clockJump } from './events/clock-jump.ts';
import { databaseCut } from './events/database-cut.ts';
import { diskFull } from './events/disk-full.ts';
import { waitsCanceled, waitsKilled, waitsLost } from './events/ended-waits.ts';
import type { EventKind } from './events/event.ts';
import { standbysLost } from './events/lost-standbys.ts';
import { nodeKilled, previousVersionBeside, rollingRestart, upgrade } from './events/node-events.ts';
import { burstDuringPromotion, primaryFrozen, primaryHostKilled, primaryKilled } from './events/replaced-primary.ts';
import { switchover } from './events/switchover.ts';

interface Entry {
  kind: EventKind;
  /** In a full rehearsal. Those that take half a minute or more are rare. */
  count: number;
  /** Whether the short form, for CI, includes it. */
  isShort: boolean;
}

const TABLE = {
  'primary-killed': { kind: primaryKilled, count: 40, isShort: true },
  'primary-host-killed': { kind: primaryHostKilled, count: 8, isShort: false },
  'primary-frozen': { kind: primaryFrozen, count: 8, isShort: true },
  'waits-canceled': { kind: waitsCanceled, count: 30, isShort: true },
  'waits-killed': { kind: waitsKilled, count: 30, isShort: true },
  'waits-lost': { kind: waitsLost, count: 16, isShort: true },
  'promotion-burst': { kind: burstDuringPromotion, count: 12, isShort: false },
  switchover: { kind: switchover, count: 40, isShort: true },
  'node-killed': { kind: nodeKilled, count: 42, isShort: true },
  'rolling-restart': { kind: rollingRestart, count: 4, isShort: true },
  'database-cut': { kind: databaseCut, count: 24, isShort: true },
  'standbys-lost': { kind: standbysLost, count: 8, isShort: true },
  'disk-full': { kind: diskFull, count: 3, isShort: false },
  'clock-jump': { kind: clockJump, count: 4, isShort: true },
  // In this order, on an installation of their own.
  'previous-version': { kind: previousVersionBeside, count: 2, isShort: true },
  upgrade: { kind: upgrade, count: 2, isShort: true },
} as const satisfies Record<string, Entry>;

export type KindKey = keyof typeof TABLE;

export const KINDS: Readonly<Record<KindKey, Entry>> = TABLE;
export const KIND_KEYS = Object.keys(TABLE) as KindKey[];
export const FULL_COUNT = KIND_KEYS.reduce((sum, key) => sum + KINDS[key].count, 0);

/** How many of each, for about this many events in total; each at least once. */
export function countEvents(keys: readonly KindKey[], events: number): Map<KindKey, number> {
  const all = keys.reduce((sum, key) => sum + KINDS[key].count, 0);
  return new Map(keys.map((key) => [key, Math.max(1, Math.round((KINDS[key].count / all) * events))]));
}
