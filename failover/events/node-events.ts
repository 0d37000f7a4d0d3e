// Nodes that die, that are restarted in order, and that run another version.
import { setTimeout as pause } from 'node:timers/promises';
import { NODE_NAMES, type Program } from '../stage/nodes.ts';
import type { Stage } from '../stage/stage.ts';
import type { EventKind, Scene } from './event.ts';

/** HAProxy checks every half second, so it has noticed a node that is ready. */
const NOTICED_MS = 1_500;
const BESIDE_MS = 5_000;

export const nodeKilled: EventKind = {
  title: 'Node killed',
  mayFail: true,
  mayLoseAnswers: true,
  maxGapMs: null,
  async run({ stage, chance, mark }) {
    const name = chance.pick(NODE_NAMES);
    mark(`kill -9 of node ${name}`);
    await stage.nodes.kill(name);
    await stage.nodes.start(name);
    mark(`node ${name} is ready again`);
    return {};
  },
};

export const rollingRestart: EventKind = {
  title: 'Rolling restart',
  mayFail: false,
  maxGapMs: null,
  async run({ stage, mark }) {
    await inOrder(stage, async () => {
      for (const name of NODE_NAMES) await restart({ stage, mark }, name);
    });
    return {};
  },
};

/** On an installation of the previous version: its first node is replaced by one that migrates the database. */
export const previousVersionBeside: EventKind = {
  title: 'Nodes of the previous version beside a new one',
  mayFail: false,
  maxGapMs: null,
  isUpgrade: true,
  async run({ stage, kit, mark }) {
    const [first] = NODE_NAMES;
    await restart({ stage, mark }, first, kit.current);
    mark('a new node serves beside two of the previous version');
    await pause(BESIDE_MS);
    return {};
  },
};

/** The other nodes follow. */
export const upgrade: EventKind = {
  title: 'Rolling upgrade of the other nodes',
  mayFail: false,
  maxGapMs: null,
  isUpgrade: true,
  async run({ stage, kit, mark }) {
    for (const name of NODE_NAMES.slice(1)) await restart({ stage, mark }, name, kit.current);
    return {};
  },
};

type Place = Pick<Scene, 'stage' | 'mark'>;

async function restart({ stage, mark }: Place, name: string, program?: Program): Promise<void> {
  mark(`node ${name} stops`);
  await stage.nodes.stop(name);
  await stage.nodes.start(name, program);
  mark(`node ${name} is ready`);
  await pause(NOTICED_MS);
}

/** Within this span, nothing may be sent twice. */
async function inOrder(stage: Stage, work: () => Promise<void>): Promise<void> {
  const from = Date.now();
  await work();
  stage.orderlyStops.push({ from, to: Date.now() });
}
