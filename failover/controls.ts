// Controls that prove the rehearsal can fail: nodes that lack a safeguard, under the event that it is for.
import type { Chance } from '../harness/chance.ts';
import type { Invariant } from '../harness/evidence/invariants.ts';
import type { ControlResult } from '../harness/evidence/tamperings.ts';
import type { Kit } from './events/event.ts';
import type { KindKey } from './kinds.ts';
import { rehearse } from './rehearsal.ts';
import { checkAnswers, figuresOfEvents, type Rule } from './checks/figures.ts';
import type { StageOptions } from './stage/stage-options.ts';
import { Stage } from './stage/stage.ts';

export type Check = Invariant | Rule;

interface Control {
  what: string;
  key: KindKey;
  check: Check;
  lacks: Pick<StageOptions, 'sessionSettings' | 'statements' | 'nodeSettings'>;
}

const CONTROLS: readonly Control[] = [
  {
    what: 'primary killed: orders are acknowledged before a standby has them (synchronous_commit=off)',
    key: 'primary-killed',
    check: 'each acknowledged order exists once',
    lacks: { sessionSettings: { synchronous_commit: 'off' } },
  },
  {
    what: 'waits ended, primary killed: a repeated order that is found is acknowledged without confirmation',
    key: 'waits-lost',
    check: 'each acknowledged order exists once',
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
  {
    what: 'rolling restart: nodes stop without leaving the load balancer first',
    key: 'rolling-restart',
    check: 'planned work fails no request',
    lacks: { nodeSettings: { WAYBILL_DRAIN_SECONDS: '0' } },
  },
];

/** Which orders are lost depends on the moment, so each control gets several tries. */
const TRIES = 3;
/** Webhooks are not what these controls are about. */
const DRAINED_WITHIN_MS = 0;

export interface ControlOptions {
  stage: Omit<StageOptions, 'name' | keyof Control['lacks']>;
  kit: Kit;
  chance: Chance;
  onProgress(text: string): void;
}

export async function runControls(options: ControlOptions): Promise<ControlResult<Check>[]> {
  const results: ControlResult<Check>[] = [];
  for (const [index, control] of CONTROLS.entries()) {
    const { what, check } = control;
    let isCaught = false;
    for (let tries = 1; tries <= TRIES && !isCaught; tries += 1) {
      isCaught = await isNoticed(control, `control_${index + 1}_${tries}`, options);
    }
    results.push({ what, invariant: check, isCaught });
  }
  return results;
}

async function isNoticed({ key, check, lacks }: Control, name: string, options: ControlOptions): Promise<boolean> {
  const { kit, chance } = options;
  const onProgress = (text: string): void => options.onProgress(`control: ${text}`);
  onProgress('starting the nodes');
  const stage = await Stage.open({ ...options.stage, ...lacks, name });
  try {
    const { cluster } = options.stage;
    const plan = { plan: [key], firstNumber: 1, drainedWithinMs: DRAINED_WITHIN_MS };
    const { answers, events, findings } = await rehearse({ cluster, stage, kit, chance, onProgress, ...plan });
    const found = new Map<Check, string[]>([...findings, ...checkAnswers(figuresOfEvents(events, answers), answers)]);
    return (found.get(check) ?? []).length > 0;
  } finally {
    await stage.close();
  }
}
