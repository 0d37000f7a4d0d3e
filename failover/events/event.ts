// One event of a rehearsal, and what it may use.
import type { Chance } from '../../harness/chance.ts';
import type { FakeTime } from '../../harness/clocks/fake-time.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Member } from '../cluster/member.ts';
import { monotonicNow } from '../stage/answers.ts';
import type { Program } from '../stage/nodes.ts';
import type { Stage } from '../stage/stage.ts';

/** A string is the reason why something is missing. */
export interface Kit {
  current: Program;
  fakeTime: FakeTime | string;
  logDisk: true | string;
}

export interface Scene {
  cluster: Cluster;
  stage: Stage;
  chance: Chance;
  kit: Kit;
  /** Writes a step on the timeline of the event. */
  mark(text: string): void;
}

/** How long the event itself keeps every order from being taken. */
export interface Outcome {
  /** Until Patroni named another primary. */
  detectionMs?: number;
  /** While no standby could confirm a commit. */
  heldMs?: number;
}

export interface EventKind {
  title: string;
  /** For planned work: no request may fail. */
  mayFail: boolean;
  /** HAProxy closes a connection without an answer if a node dies with a request that was not the connection's first. */
  mayLoseAnswers?: true;
  /** Happens on an installation that runs the previous version. */
  isUpgrade?: true;
  /** Beyond what the event itself imposes; null if the other nodes take orders all the time. */
  maxGapMs: number | null;
  findObstacle?(kit: Kit): string | undefined;
  run(scene: Scene): Promise<Outcome>;
}

/** How long intake may stand still beyond what the event itself imposes. */
export const MAX_GAP_MS = 3_000;

/** Does something to the primary, and waits until Patroni names another one. */
export async function replacePrimary(
  { cluster, mark }: Scene,
  what: string,
  strike: (primary: Member) => unknown,
): Promise<{ former: Member; detectionMs: number }> {
  const former = await cluster.getPrimary();
  mark(what);
  const struckAt = monotonicNow();
  await strike(former);
  const { name } = await cluster.waitForAnotherPrimary(former);
  mark(`Patroni names ${name} as the primary`);
  return { former, detectionMs: monotonicNow() - struckAt };
}
