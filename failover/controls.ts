// Controls that prove the rehearsal can fail: nodes that lack a safeguard, under the event that it is for.
import type { Chance } from '../harness/chance.ts';
import { checkAll } from '../harness/evidence/invariants.ts';
import type { ControlResult } from '../harness/evidence/tamperings.ts';
import { KINDS, type KindKey } from './kinds.ts';
import { Stage } from './stage/stage.ts';
import type { StageOptions } from './stage/stage-options.ts';
import type { Kit } from './events/event.ts';
import { setTimeout as pause } from 'node:timers/promises';

interface Control {
  what: string;
  key: KindKey;
  lacks: Pick<StageOptions, 'sessionSettings' | 'statements'>;
}

const INVARIANT = 'each acknowledged order exists once';

const CONTROLS: readonly Control[] = [
  {
    what: 'primary killed: orders are acknowledged before a standby has them (synchronous_commit=off)',
    key: 'primary-killed',
    lacks: { sessionSettings: { synchronous_commit: 'off' } },
  },
  {
    what: 'waits ended, primary killed: a repeated order that is found is acknowledged without confirmation',
    key: 'waits-lost',
    // Confirming writes a message to the log, which makes the commit wait for a standby. This one writes nothing.
    lacks: {
      sessionSettings: { search_path: 'public,blind,pg_catalog' },
      statements: [
        'create schema blind',
        `create function blind.pg_logical_emit_message(boolean, text, text) returns pg_lsn
         language sql volatile as 'select null::pg_lsn'`,
      ],
    },
  },
];

/** Which orders are lost depends on the moment, so each control gets several tries. */
const TRIES = 3;
const LOAD_FIRST_MS = 2_000;

export interface ControlOptions {
  stage: Omit<StageOptions, 'name' | 'sessionSettings' | 'statements'>;
  kit: Kit;
  chance: Chance;
  onProgress(text: string): void;
}

export async function runControls(options: ControlOptions): Promise<ControlResult[]> {
  const results: ControlResult[] = [];
  for (const [index, control] of CONTROLS.entries()) {
    let isCaught = false;
    for (let tries = 1; tries <= TRIES && !isCaught; tries += 1) {
      options.onProgress(`control: ${control.what}`);
      isCaught = await isNoticed(control, `control_${index}_${tries}`, options);
    }
    results.push({ what: control.what, invariant: INVARIANT, isCaught });
  }
  return results;
}

async function isNoticed(control: Control, name: string, options: ControlOptions): Promise<boolean> {
  const { kit, chance } = options;
  const { cluster } = options.stage;
  const stage = await Stage.open({ ...options.stage, ...control.lacks, name });
  try {
    await pause(LOAD_FIRST_MS);
    await KINDS[control.key].kind.run({ cluster, stage, kit, chance, mark: () => undefined });
    await cluster.waitUntilWhole();
    await stage.waitUntilReady();
    // Webhooks are not what this is about.
    const evidence = await stage.conclude({ drainedWithinMs: 0 });
    return (checkAll(evidence).get(INVARIANT) ?? []).length > 0;
  } finally {
    await stage.close();
  }
}
