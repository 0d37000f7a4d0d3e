// Controls that prove the checks can fail: each fault is repeated on nodes without the guard against it, and some nodes
// send webhooks that they should not send.
import { setTimeout as pause } from 'node:timers/promises';
import type { Damage } from '../harness/nodes/sender-damage.ts';
import { conclude, onStage, runFault, type CampaignOptions } from './campaign.ts';
import type { Findings, Invariant } from '../harness/evidence/invariants.ts';
import type { ControlResult } from '../harness/evidence/tamperings.ts';
import type { FaultKey, Kit } from './faults/faults.ts';
import type { StageOptions } from './stage/stage.ts';

type ControlOptions = Omit<CampaignOptions, 'kills'>;

interface FaultControl {
  what: string;
  lacks: Pick<StageOptions, 'mistake' | 'splitForMs' | 'slowMs'>;
  invariant: Invariant;
  /** For mistakes that few faults may miss: the dose of a campaign with this many kills. */
  kills?: number;
}

const FAULT_CONTROLS: Record<FaultKey, FaultControl> = {
  'kill-nodes': {
    what: 'nodes killed: orders and their events are committed separately',
    lacks: { splitForMs: 400 },
    invariant: 'versions have no gap',
  },
  'kill-postgres': {
    what: 'PostgreSQL killed: commits are acknowledged before they are on disk',
    lacks: { mistake: 'unflushed' },
    invariant: 'each acknowledged order exists once',
  },
  'freeze-node': {
    what: 'node frozen: it continues deliveries that other nodes have taken over',
    // Slow responses, so the node holds many deliveries in memory when it is frozen.
    lacks: { mistake: 'outlived-lease', slowMs: 1_500 },
    invariant: 'nothing is resent after a recorded success',
  },
  'freeze-postgres': {
    what: 'PostgreSQL frozen: a repeated order is placed as a new one',
    lacks: { mistake: 'repeats-are-new' },
    invariant: 'each acknowledged order exists once',
  },
  'cut-database': {
    what: 'connections to PostgreSQL cut: a commit without a response counts as committed',
    lacks: { mistake: 'unknown-is-done' },
    invariant: 'each acknowledged order exists once',
  },
  'cut-clients': {
    what: 'connections to clients cut: a repeated order is placed as a new one',
    lacks: { mistake: 'repeats-are-new' },
    invariant: 'each acknowledged order exists once',
    kills: 72,
  },
  'rolling-restart': {
    what: 'rolling restart: nodes stop without finishing work in progress',
    lacks: { mistake: 'abrupt-stop' },
    invariant: 'a graceful stop repeats nothing',
  },
  clock: {
    what: 'clock set back: due deliveries wait until the clock has caught up',
    lacks: { mistake: 'clock-awaited' },
    invariant: 'healthy receivers get everything in time',
  },
  'disk-full': {
    what: 'disk full: a failed commit counts as committed',
    lacks: { mistake: 'unknown-is-done' },
    invariant: 'each acknowledged order exists once',
  },
};

const KILLS = 12;
/** Some mistakes show only by chance, so each control gets several tries. */
const TRIES = 3;
/** Broken nodes never send some webhooks, so waiting longer is useful only when the control is about time. */
const SHORT_DRAIN_MS = 15_000;

export async function runFaultControls(kit: Kit, options: ControlOptions): Promise<ControlResult[]> {
  const results: ControlResult[] = [];
  for (const key of options.only) {
    const { what, invariant } = FAULT_CONTROLS[key];
    const obstacle =
      performance.now() > options.endsAtMs ? 'the time limit was reached' : kit.faults[key].findObstacle?.();
    if (obstacle !== undefined) {
      results.push({ what, invariant, isCaught: false, obstacle });
      continue;
    }
    let isCaught = false;
    for (let count = 0; count < TRIES && !isCaught; count += 1) {
      isCaught = await isNoticed(kit, key, { ...options, seed: options.seed + count });
    }
    results.push({ what, invariant, isCaught });
  }
  return results;
}

async function isNoticed(kit: Kit, key: FaultKey, options: ControlOptions): Promise<boolean> {
  const { lacks, invariant, kills = KILLS } = FAULT_CONTROLS[key];
  const onProgress = (text: string): void => options.onProgress(`control: ${text}`);
  let found = 0;
  await onStage({ seed: options.seed, ...kit.stageFor([key]), ...lacks }, async (stage) => {
    await runFault(stage, { key, fault: kit.faults[key], options: { ...options, kills, onProgress } });
    const isAboutTime = invariant === 'healthy receivers get everything in time';
    const { findings } = await conclude(stage, {
      onProgress,
      ...(!isAboutTime && { drainedWithinMs: SHORT_DRAIN_MS }),
    });
    found = countOf(findings, invariant);
  });
  return found > 0;
}

interface DamageControl {
  what: string;
  damage: Damage;
  invariant: Invariant;
}

/** In groups of three, because a stage has three nodes. */
const DAMAGE_CONTROLS: readonly (readonly DamageControl[])[] = [
  [
    { what: 'signatures over different bytes', damage: 'forged', invariant: 'every signature is valid' },
    { what: 'different bytes on each attempt', damage: 'altered', invariant: 'every attempt has the same bytes' },
    { what: 'retries 50 seconds early', damage: 'early', invariant: 'no attempt is early' },
  ],
  [
    {
      what: 'deliveries recorded as successful without being sent',
      damage: 'unsent',
      invariant: 'each event reached a 2xx or is due',
    },
    {
      what: 'webhooks for states that were never committed',
      damage: 'invented',
      invariant: 'only committed events are sent',
    },
    {
      what: 'webhooks sent to the wrong receiver',
      damage: 'stray',
      invariant: 'receivers get only their own webhooks',
    },
  ],
];

const DAMAGE_LOAD_MS = 4_000;

export async function runDamageControls(options: ControlOptions): Promise<ControlResult[]> {
  const onProgress = (text: string): void => options.onProgress(`control: ${text}`);
  const results: ControlResult[] = [];
  for (const controls of DAMAGE_CONTROLS) {
    const damages = controls.map(({ damage }) => damage);
    await onStage({ seed: options.seed, damages }, async (stage) => {
      onProgress(damages.join(', '));
      await pause(DAMAGE_LOAD_MS);
      const { findings } = await conclude(stage, { onProgress, drainedWithinMs: SHORT_DRAIN_MS });
      for (const { what, invariant } of controls) {
        results.push({ what, invariant, isCaught: countOf(findings, invariant) > 0 });
      }
    });
  }
  return results;
}

function countOf(findings: Findings, invariant: Invariant): number {
  return findings.get(invariant)?.length ?? 0;
}
