// How much of a process one signed-in user gets at once. A page asks for a few things at a time and never notices. A script
// that asks for fifty at a time is slowed down, not refused: its requests wait for each other, and while many wait, they
// run one at a time with pauses in between, so that orders of other restaurants are taken as fast as before.
//
// A user's requests are always in one of these states: waiting, running, or (their slot only) resting. A slot rests only
// while more requests wait than a page would send. Each process counts for itself.
import type { Clock } from '../../platform.ts';

export interface UserTurns {
  /** False: too many of the user's requests wait already. True: `leave` must follow. */
  enter(userId: string): Promise<boolean>;
  leave(userId: string): void;
  /** The same for a stream, which lasts; false: the user has too many of them. */
  openStream(userId: string): boolean;
  closeStream(userId: string): void;
}

/** Browsers open six connections to a host. */
const MAX_RUNNING = 4;
const MAX_WAITING = 100;
/** More than any page of ours sends at once: then it is a script. */
const CROWD = 16;
/** Of a script's requests, how long the slot rests for each millisecond that the request took. */
const REST_FACTOR = 3;
const MAX_REST_MS = 1_000;
/** A tab has one or two. */
const MAX_STREAMS = 32;

interface Use {
  running: number;
  /** When each of those began, oldest first. */
  beganMs: number[];
  resting: number;
  streams: number;
  waiting: (() => void)[];
}

export function createUserTurns(clock: Clock): UserTurns {
  const uses = new Map<string, Use>();
  const useOf = (userId: string): Use => {
    const use = uses.get(userId) ?? { running: 0, beganMs: [], resting: 0, streams: 0, waiting: [] };
    uses.set(userId, use);
    return use;
  };
  const forgetIfUnused = (userId: string, use: Use): void => {
    if (use.running + use.resting + use.streams + use.waiting.length === 0) uses.delete(userId);
  };
  const begin = (use: Use): void => {
    use.running += 1;
    use.beganMs.push(clock.monotonicMs());
  };
  const startNext = (use: Use): void => {
    while (use.waiting.length > 0 && hasSlot(use)) {
      begin(use);
      use.waiting.shift()?.();
    }
  };
  return {
    async enter(userId) {
      const use = useOf(userId);
      if (use.waiting.length >= MAX_WAITING) return false;
      if (use.waiting.length === 0 && hasSlot(use)) {
        begin(use);
        return true;
      }
      await new Promise<void>((resolve) => void use.waiting.push(resolve));
      return true;
    },
    leave(userId) {
      const use = useOf(userId);
      const tookMs = clock.monotonicMs() - (use.beganMs.shift() ?? clock.monotonicMs());
      use.running -= 1;
      if (use.waiting.length > CROWD) {
        use.resting += 1;
        const wake = (): void => {
          use.resting -= 1;
          startNext(use);
          forgetIfUnused(userId, use);
        };
        setTimeout(wake, Math.min(tookMs * REST_FACTOR, MAX_REST_MS));
      }
      startNext(use);
      forgetIfUnused(userId, use);
    },
    openStream(userId) {
      const use = useOf(userId);
      if (use.streams >= MAX_STREAMS) return false;
      use.streams += 1;
      return true;
    },
    closeStream(userId) {
      const use = useOf(userId);
      use.streams -= 1;
      forgetIfUnused(userId, use);
    },
  };
}

function hasSlot({ running, resting, waiting }: Use): boolean {
  return running + resting < (waiting.length > CROWD ? 1 : MAX_RUNNING);
}
