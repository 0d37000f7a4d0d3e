// Counts wrong credentials by address. Whoever exceeds the budget is told to wait, but right credentials are always
// let in: an honest caller behind the same address notices nothing.
import { MINUTE_MS } from '../../domain/time.ts';
import type { Clock } from '../../platform.ts';
import { networkOf } from '../protocol/client-address.ts';

export interface GuessBudget {
  /** Counts one wrong guess; true when the address has none left in its minute. */
  spend(address: string): boolean;
}

interface Window {
  startedMs: number;
  guesses: number;
}

/** Far more than a misconfigured system tries by itself; far too few to find anything of 256 bits. */
export const GUESSES_PER_MINUTE = 100;
const MOST_ADDRESSES = 10_000;

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
      if (windows.size >= MOST_ADDRESSES && oldest !== undefined) windows.delete(oldest);
      windows.set(network, { startedMs: nowMs, guesses: 1 });
      return false;
    },
  };
}
