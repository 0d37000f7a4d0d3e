// Counts wrong credentials by address. Callers over the budget must wait, but correct credentials are always accepted:
// a legitimate caller behind the same address is unaffected.
import { MINUTE_MS } from '../../domain/time.ts';
import type { Clock } from '../../platform.ts';
import { networkOf } from '../protocol/client-address.ts';

export interface GuessBudget {
  /** Counts one wrong guess; true if the address has used up its budget for this minute. */
  spend(address: string): boolean;
}

interface Window {
  startedMs: number;
  guesses: number;
}

/** Far more than a misconfigured system sends; far too few to guess a 256-bit secret. */
export const GUESSES_PER_MINUTE = 100;
const MAX_ADDRESSES = 10_000;

export function createGuessBudget(clock: Clock): GuessBudget {
  const windows = new Map<string, Window>();
  return {
    spend(address) {
      const network = networkOf(address);
      const nowMs = clock.monotonicMs();
      const window = windows.get(network);
      if (window !== undefined && nowMs - window.startedMs < MINUTE_MS) {
        window.guesses += 1;
        return window.guesses > GUESSES_PER_MINUTE;
      }
      windows.delete(network);
      const [oldest] = windows.keys();
      if (windows.size >= MAX_ADDRESSES && oldest !== undefined) windows.delete(oldest);
      windows.set(network, { startedMs: nowMs, guesses: 1 });
      return false;
    },
  };
}
