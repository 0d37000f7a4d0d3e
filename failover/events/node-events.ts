// Nodes that die, that are restarted in order, and that run another version.
import { setTimeout as pause } from 'node:timers/promises';
import { NODE_NAMES, PREVIOUS_NODE, type Program } from '../stage/nodes.ts';
import type { Stage } from '../stage/stage.ts';
import type { EventKind, Kit, Scene } from './event.ts';

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

export const upgrade: EventKind = {
  title: 'Upgrade from the previous version',
  mayFail: false,
  maxGapMs: null,
  findObstacle: whyNoPrevious,
  async run({ stage, kit, mark }) {
    if (typeof kit.previous === 'string') return {};
    for (const name of NODE_NAMES) await restart({ stage, mark }, name, kit.previous);
    mark('every node runs the previous version');
    for (const name of NODE_NAMES) await restart({ stage, mark }, name);
    return {};
  },
};

export const previousVersionBeside: EventKind = {
  title: 'Node of the previous version beside the new ones',
  mayFail: false,
  maxGapMs: null,
  findObstacle: whyNoPrevious,
  async run({ stage, kit, mark }) {
    if (typeof kit.previous === 'string') return {};
    await stage.nodes.start(PREVIOUS_NODE, kit.previous);
    mark('a node of the previous version is ready');
    await pause(BESIDE_MS);
    await stage.nodes.stop(PREVIOUS_NODE);
    mark('the node of the previous version is stopped');
    return {};
  },
};

function whyNoPrevious({ previous }: Kit): string | undefined {
  return typeof previous === 'string' ? previous : undefined;
}

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
