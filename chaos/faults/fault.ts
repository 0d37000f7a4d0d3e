// A fault: a disturbance of the stage under load, repeated a given number of times.
import type { Chance } from '../../harness/chance.ts';
import type { Stage } from '../stage/stage.ts';

export interface Dose {
  chance: Chance;
  /** Number of kills, cuts or restarts; for faults with a duration, the number of rounds. */
  times: number;
  freezeMs: number;
  /** Called after each repetition. */
  onDone(): void;
}

export interface Fault {
  name: string;
  /** Counts toward the kills of a run. */
  isKill: boolean;
  /** Returns the reason if the fault cannot be injected on this machine. */
  findObstacle?(): string | undefined;
  run(stage: Stage, dose: Dose): Promise<void>;
}
