// All benches by name, with their duration and how to run them.
import { availableParallelism } from 'node:os';
import { benchDelivery } from './benches/delivery.ts';
import { benchFairness } from './benches/fairness.ts';
import { benchGrowth } from './benches/growth.ts';
import { benchIntake } from './benches/intake.ts';
import { benchLatency } from './benches/latency.ts';
import { benchHangingNeighbors, benchSearchingNeighbor } from './benches/neighbors.ts';
import { benchNodes } from './benches/nodes.ts';
import { benchPanel } from './benches/panel.ts';
import { runPlannerBench } from './planner/planner-bench.ts';
import { benchPlanning } from './benches/planning.ts';
import { benchRecovery } from './benches/recovery.ts';
import type { UndoList } from '../harness/postgres/cluster.ts';
import type { Report } from './report/report.ts';
import { benchRestore } from './benches/restore.ts';
import { openStage, type Stage } from './stage/stage.ts';
import { benchVersus } from './benches/versus.ts';

export interface BenchSetup {
  report: Report;
  undo: UndoList;
  /** Smoke test: runs once for a few seconds; the figures are meaningless. */
  isQuick: boolean;
  /** Rows of history for the growth bench; limits the orders of the restore bench. */
  rows: number;
  /** Output folder for a CPU profile of the node. */
  profileFolder: string | undefined;
  /** Output folder for a bench's own tables. */
  outputFolder: string;
  say: (line: string) => void;
}

export interface Bench {
  about: string;
  /** Duration on 2 cores. */
  minutes: number;
  /** Runs only when named, because it needs data outside the project or takes very long. */
  isOnlyNamed?: boolean;
  run(setup: BenchSetup): Promise<void>;
}

const REPETITIONS = 3;
/** For comparing two rates: the machine's speed fluctuates, and many short turns let that affect both equally. */
const MANY_REPETITIONS = 9;
/** One short measurement's p99 depends on few requests; more repetitions make the median more reliable. */
const GROWTH_REPETITIONS = 5;
const RESTORED_ORDERS = 1_000_000;
const QUICK_RESTORED_ORDERS = 1_000;
/** Each turn is one run without planning and one with it; many turns for the same reason. */
const PLANNING_TURNS = 6;

/** Number of service processes; the database, the receiver and the generator need the other cores. */
const HALF_OF_THE_CORES = Math.max(1, Math.floor(availableParallelism() / 2));

export const BENCHES: Record<string, Bench> = {
  intake: {
    about: 'orders accepted on half of the cores, compared with a bare echo',
    minutes: 2,
    run: onStage(
      (stage, { report, isQuick }) =>
        benchIntake(stage, report, { repetitions: isQuick ? 1 : MANY_REPETITIONS, seconds: isQuick ? 1 : 3 }),
      HALF_OF_THE_CORES,
    ),
  },
  delivery: {
    about: 'webhooks sent from half of the cores, compared with a bare loop',
    minutes: 2,
    run: onStage(
      (stage, { report, isQuick }) =>
        benchDelivery(stage, report, { repetitions: isQuick ? 1 : MANY_REPETITIONS, count: isQuick ? 1_000 : 20_000 }),
      HALF_OF_THE_CORES,
    ),
  },
  latency: {
    about: 'latency from commit to receiver',
    minutes: 1.5,
    run: onStage((stage, { report, isQuick }) =>
      benchLatency(stage, report, { repetitions: repetitionsOf(isQuick), seconds: isQuick ? 2 : 20 }),
    ),
  },
  versus: {
    about: 'the same job on pg-boss and on graphile-worker',
    minutes: 4,
    run: onStage((stage, { report, isQuick }) => {
      const extent = isQuick ? { count: 1_000, seconds: 2 } : { count: 20_000, seconds: 10 };
      return benchVersus(stage, report, { repetitions: repetitionsOf(isQuick), ...extent });
    }),
  },
  fairness: {
    about: 'healthy endpoints alongside dead and overloaded ones',
    minutes: 16,
    run: ({ report, undo, isQuick }) => {
      const extent = isQuick
        ? { restaurants: 50, seconds: 3, backlog: 5_000 }
        : { restaurants: 400, seconds: 30, backlog: 100_000 };
      return benchFairness(report, { undo, repetitions: repetitionsOf(isQuick), ...extent });
    },
  },
  neighbors: {
    about: 'orders alongside a searching script, and webhooks alongside 64 restaurants whose shared host hangs',
    minutes: 8,
    run: async ({ report, undo, isQuick }) => {
      const extent = isQuick ? { seconds: 3, searchedOrders: 300 } : { seconds: 15, searchedOrders: 2_500 };
      const options = { undo, repetitions: repetitionsOf(isQuick), ...extent };
      await benchSearchingNeighbor(report, options);
      await benchHangingNeighbors(report, options);
    },
  },
  growth: {
    about: 'claim and intake with millions of rows of history (--rows, 10 million by default; 28 GB of disk)',
    minutes: 14,
    run: ({ report, undo, isQuick, rows, say }) =>
      benchGrowth(report, {
        undo,
        say,
        repetitions: isQuick ? 1 : GROWTH_REPETITIONS,
        rows,
        seconds: isQuick ? 2 : 10,
      }),
  },
  recovery: {
    about: 'time for a node to send 100,000 due deliveries after its start',
    minutes: 3,
    run: ({ report, undo, isQuick }) =>
      benchRecovery(report, { undo, repetitions: repetitionsOf(isQuick), count: isQuick ? 2_000 : 100_000 }),
  },
  restore: {
    about: 'a backup restored, then 200 orders/s (--rows of orders, 1 million by default)',
    minutes: 30,
    isOnlyNamed: true,
    run: ({ report, undo, isQuick, rows, say }) =>
      benchRestore(report, {
        undo,
        say,
        orders: isQuick ? QUICK_RESTORED_ORDERS : Math.min(rows, RESTORED_ORDERS),
        seconds: isQuick ? 2 : 75,
        turns: isQuick ? 1 : 2,
      }),
  },
  nodes: {
    about: 'intake and delivery with one to three nodes of one or two processes, on one database',
    minutes: 9,
    isOnlyNamed: true,
    run: ({ report, undo, isQuick, say }) => {
      const extent = isQuick ? { seconds: 1, webhooks: 600 } : { seconds: 8, webhooks: 12_000 };
      return benchNodes(report, { undo, say, repetitions: repetitionsOf(isQuick), ...extent });
    },
  },
  panel: {
    about: 'the board in a browser: first paint, scrolling, live updates',
    minutes: 2,
    run: ({ report, undo, isQuick, say }) =>
      benchPanel(report, {
        undo,
        say,
        repetitions: repetitionsOf(isQuick),
        orders: isQuick ? { opened: 50, scrolled: 200 } : { opened: 500, scrolled: 5_000 },
      }),
  },
  planning: {
    about: 'the planner in a service with 1,000 open orders and 300 couriers',
    minutes: 13,
    run: ({ report, undo, isQuick, profileFolder }) => {
      const extent = isQuick
        ? { size: { orders: 100, couriers: 30 }, newOrders: 5, seconds: 2 }
        : { size: { orders: 1_000, couriers: 300 }, newOrders: 200, seconds: 30 };
      const repetitions = isQuick ? 1 : PLANNING_TURNS;
      return benchPlanning(report, { undo, profileFolder, repetitions, ...extent });
    },
  },
  planner: {
    about: 'the planner on public instances',
    minutes: 15,
    isOnlyNamed: true,
    // Runs once: results are the same for the same seed, and time limits are in CPU time.
    async run({ report, say, outputFolder }) {
      for (const { name, unit, value, target } of await runPlannerBench({ say, outputFolder })) {
        report.add(name, unit, value);
        if (target !== null) report.aim(name, { is: 'at most', value: target });
      }
    },
  },
};

function repetitionsOf(isQuick: boolean): number {
  return isQuick ? 1 : REPETITIONS;
}

/** For benches that need a database, the service in `processes` processes, and a receiver. */
function onStage(work: (stage: Stage, setup: BenchSetup) => Promise<void>, processes = 1): Bench['run'] {
  return async (setup) => {
    const { profileFolder, undo } = setup;
    await work(await openStage({ profileFolder, undo, processes }), setup);
  };
}
