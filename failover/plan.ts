// Which events happen, in which order, and which cannot happen on this machine.
import type { Chance } from '../harness/chance.ts';
import type { Kit } from './events/event.ts';
import { KINDS, type KindKey } from './kinds.ts';

export interface Skipped {
  key: KindKey;
  obstacle: string;
}

export interface Plan {
  /** In random order, on one installation. */
  events: KindKey[];
  /** Each on an installation of its own that runs the previous version. */
  upgrades: KindKey[][];
  skipped: Skipped[];
}

export interface PlanOptions {
  counts: ReadonlyMap<KindKey, number>;
  kit: Kit;
  chance: Chance;
  /** Why the previous version cannot run here. */
  noPrevious: string | undefined;
}

export function planEvents({ counts, kit, chance, noPrevious }: PlanOptions): Plan {
  const skipped: Skipped[] = [];
  const events: KindKey[] = [];
  const upgrades: KindKey[][] = [];
  for (const [key, count] of counts) {
    const { kind } = KINDS[key];
    const obstacle = kind.isUpgrade === true ? noPrevious : kind.findObstacle?.(kit);
    if (obstacle !== undefined) skipped.push({ key, obstacle });
    else if (kind.isUpgrade === true) for (let index = 0; index < count; index += 1) (upgrades[index] ??= []).push(key);
    else for (let index = 0; index < count; index += 1) events.push(key);
  }
  return { events: shuffle(events, chance), upgrades, skipped };
}

function shuffle<Item>(items: readonly Item[], chance: Chance): Item[] {
  const left = [...items];
  const shuffled: Item[] = [];
  while (left.length > 0) shuffled.push(...left.splice(chance.below(left.length), 1));
  return shuffled;
}
