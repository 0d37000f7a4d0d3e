// Limits how many requests of one signed-in user a process runs concurrently. A page sends only a few and isn't
// affected. A script that sends fifty at once is slowed down, not refused: its requests queue. While many are queued,
// they run one at a time with pauses in between, so that other restaurants' orders are accepted as fast as before.
//
// A request is waiting or running; after it ran, its slot may rest. A slot rests only while more requests are waiting
// than a page would send. Each process counts separately.
import type { Clock } from '../../platform.ts';

export interface UserTurns {
  /**
   * False: too many of the user's requests are already waiting, or the client disconnected while this one waited. After
   * true, `leave` must be called.
   */
  enter(userId: string, disconnected: AbortSignal): Promise<boolean>;
  leave(userId: string): void;
  /** The same for a long-lived stream. False: the user has too many of them. */
  openStream(userId: string): boolean;
  closeStream(userId: string): void;
}

/** Browsers open six connections to a host. */
const MAX_RUNNING = 4;
const MAX_WAITING = 100;
/** More than any of our pages sends concurrently; beyond this, the client is a script. */
const CROWD = 16;
/**
 * For a script's requests: how long the slot rests for each millisecond that the request took. The requests then run for
 * half a percent of the time, so fewer orders than one in a hundred arrive meanwhile and wait: the p99 of other
 * restaurants stays the same.
 */
const REST_FACTOR = 199;
const MAX_REST_MS = 3_000;
/** A tab uses one or two. */
const MAX_STREAMS = 32;

interface Use {
  running: number;
  /** When each running request started, oldest first. */
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
    async enter(userId, disconnected) {
      if (disconnected.aborted) return false;
      const use = useOf(userId);
      if (use.waiting.length >= MAX_WAITING) return false;
      if (use.waiting.length === 0 && hasSlot(use)) {
        begin(use);
        return true;
      }
      const mayRun = await waitForSlot(use, disconnected);
      // With fewer waiting, more may run. The user is forgotten with the slot that this request waited for.
      if (!mayRun) startNext(use);
      return mayRun;
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

/** False if the client disconnects first. */
function waitForSlot({ waiting }: Use, disconnected: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const start = (): void => {
      disconnected.removeEventListener('abort', drop);
      resolve(true);
    };
    const drop = (): void => {
      waiting.splice(waiting.indexOf(start), 1);
      resolve(false);
    };
    waiting.push(start);
    disconnected.addEventListener('abort', drop, { once: true });
  });
}
