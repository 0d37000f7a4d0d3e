// What a fault is: something done to the stage, so many times, under load.
import type { Chance } from '../../harness/chance.ts';
import type { Stage } from '../stage/stage.ts';

export interface Dose {
  chance: Chance;
  /** How many kills, cuts or restarts; faults that last take it for rounds. */
  times: number;
  freezeMs: number;
  /** Told after each one. */
  onDone(): void;
}

export interface Fault {
  name: string;
  /** Counts towards the kills of a run. */
  isKill: boolean;
  /** A sentence when it cannot be done here, and why. */
  findObstacle?(): string | undefined;
  run(stage: Stage, dose: Dose): Promise<void>;
}
