// The short version of `npm run chaos`: three nodes, clients and receivers that log what they saw, a few kills, cuts
// and a restart, and the same checks.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conclude, onStage, runFault } from '../../../chaos/campaign.ts';
import type { Fault } from '../../../chaos/faults/fault.ts';
import { cutClients, cutDatabase } from '../../../chaos/faults/cut-connections.ts';
import { killNodes } from '../../../chaos/faults/kill-nodes.ts';
import { killPostgres } from '../../../chaos/faults/kill-postgres.ts';
import { INVARIANTS } from '../../../harness/evidence/invariants.ts';
import type { FaultKey } from '../../../chaos/faults/faults.ts';
import { runTamperings } from '../../../harness/evidence/tamperings.ts';
import { newSeed } from '../../../harness/chance.ts';

const seed = newSeed();
const KILLS = 6;

const FAULTS: readonly { key: FaultKey; fault: Fault }[] = [
  { key: 'kill-nodes', fault: killNodes },
  { key: 'cut-database', fault: cutDatabase },
  { key: 'cut-clients', fault: cutClients },
  { key: 'kill-postgres', fault: killPostgres },
];

const options = { seed, kills: KILLS, freezeMs: 0, endsAtMs: Number.POSITIVE_INFINITY, onProgress: () => {} };

let concluded: Awaited<ReturnType<typeof conclude>>;
const done: number[] = [];

beforeAll(async () => {
  await onStage({ seed }, async (stage) => {
    for (const task of FAULTS) done.push((await runFault(stage, { ...task, options })).done);
    concluded = await conclude(stage, options);
  });
}, 240_000);

afterAll(() => {
  if (concluded.evidence.orders.length > 0) return;
  throw new Error('The run took no orders, so that it showed nothing');
});

test(`every invariant holds while nodes and PostgreSQL are killed and connections cut (seed ${seed})`, () => {
  expect(done.every((count) => count > 0)).toBe(true);
  expect([...concluded.findings].filter(([, found]) => found.length > 0)).toEqual([]);
});

test('control: tampered histories are detected', () => {
  const controls = runTamperings(concluded.evidence);
  expect(controls.filter((control) => !control.isCaught)).toEqual([]);
  expect(new Set(controls.map(({ invariant }) => invariant))).toEqual(new Set(Object.keys(INVARIANTS)));
});
