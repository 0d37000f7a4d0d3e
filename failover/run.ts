// A whole run on one cluster: the events, the upgrades on installations of their own, and the controls.
import path from 'node:path';
import { createChance, type Chance } from '../harness/chance.ts';
import { fetchFakeTime } from '../harness/clocks/fake-time.ts';
import { runTamperings, type ControlResult } from '../harness/evidence/tamperings.ts';
import { whyNoPreviousVersion, writePreviousVersion } from '../harness/nodes/previous-version.ts';
import type { Cluster } from './cluster/cluster.ts';
import { runControls, type Check } from './controls.ts';
import type { Kit } from './events/event.ts';
import type { KindKey } from './kinds.ts';
import { planEvents, type Skipped } from './plan.ts';
import { rehearse, type Rehearsal } from './rehearsal.ts';
import type { Program } from './stage/nodes.ts';
import type { StageOptions } from './stage/stage-options.ts';
import { Stage } from './stage/stage.ts';

export interface Wanted {
  seed: number;
  counts: ReadonlyMap<KindKey, number>;
  hasControls: boolean;
}

export interface Run {
  rehearsals: Rehearsal[];
  skipped: Skipped[];
  controls: ControlResult<Check>[];
}

/** Enough to see a pause of 100 ms, and little enough for two cores. */
export const ORDERS_PER_SECOND = 40;

export const PREVIOUS_VERSION_FOLDER = 'previous-version';

const CURRENT: Program = { main: path.join(import.meta.dirname, '..', 'src', 'main.ts'), isPrevious: false };

export async function runAll(cluster: Cluster, wanted: Wanted, onProgress: (text: string) => void): Promise<Run> {
  const { seed, counts, hasControls } = wanted;
  const kit = prepareKit(cluster, counts);
  const chance = createChance(seed);
  const { events, upgrades, skipped } = planEvents({ counts, kit, chance, noPrevious: whyNoPreviousVersion() });
  const common = { cluster, seed, ordersPerSecond: ORDERS_PER_SECOND, program: CURRENT };
  const rehearsals: Rehearsal[] = [];
  const play = async (plan: readonly KindKey[], options: StageOptions): Promise<void> => {
    const firstNumber = 1 + rehearsals.reduce((sum, { events: before }) => sum + before.length, 0);
    rehearsals.push(await playOn(options, { plan, kit, chance, firstNumber, onProgress }));
  };
  if (events.length > 0) {
    const { fakeTime } = kit;
    await play(events, { ...common, name: 'main', ...(typeof fakeTime !== 'string' && { fakeTime }) });
  }
  const previousMain = path.join(cluster.folder, PREVIOUS_VERSION_FOLDER);
  const program = upgrades.length === 0 ? CURRENT : preparePrevious(previousMain);
  for (const [index, plan] of upgrades.entries()) {
    const name = `upgraded_${index + 1}`;
    // The previous version cannot read several servers from DATABASE_URL.
    const settings = { DATABASE_URL: cluster.urlOf(name) };
    await play(plan, { ...common, name, program: { ...program, settings } });
  }
  const controls: ControlResult<Check>[] = [];
  const [first] = rehearsals;
  if (hasControls && first !== undefined) {
    controls.push(...runTamperings(first.evidence));
    controls.push(...(await runControls({ stage: common, kit, chance, onProgress })));
  }
  return { rehearsals, skipped, controls };
}

interface Play {
  plan: readonly KindKey[];
  kit: Kit;
  chance: Chance;
  firstNumber: number;
  onProgress(text: string): void;
}

async function playOn(options: StageOptions, play: Play): Promise<Rehearsal> {
  play.onProgress('starting the nodes');
  const stage = await Stage.open(options);
  try {
    return await rehearse({ cluster: options.cluster, stage, ...play });
  } finally {
    await stage.close();
  }
}

/** What some kinds need. If it is missing, its value is the reason why they are skipped. */
function prepareKit(cluster: Cluster, counts: Wanted['counts']): Kit {
  const disk = cluster.members[0]?.logDisk ?? 'not selected';
  return {
    current: CURRENT,
    fakeTime: counts.has('clock-jump') ? fetchFakeTime(path.join(cluster.folder, 'time')) : 'not selected',
    logDisk: typeof disk === 'string' ? disk : true,
  };
}

function preparePrevious(folder: string): Program {
  return { main: writePreviousVersion(folder), isPrevious: true };
}
