// How often a restaurant may have URLs checked: enough for people, too few for a scanner. Each node counts separately.
import { MINUTE_MS } from '../../domain/time.ts';
import type { Clock } from '../../platform.ts';

export const CHECKS_PER_MINUTE = 10;
const MAX_WINDOWS = 10_000;

export interface CheckLimit {
  /** False: the restaurant has used up its limit for this minute. */
  admit(restaurantId: string): boolean;
}

export function createCheckLimit(clock: Clock): CheckLimit {
  const windows = new Map<string, { startedMs: number; used: number }>();
  return {
    admit(restaurantId) {
      const nowMs = clock.monotonicMs();
      const window = windows.get(restaurantId);
      if (window !== undefined && nowMs - window.startedMs < MINUTE_MS) {
        window.used += 1;
        return window.used <= CHECKS_PER_MINUTE;
      }
      windows.delete(restaurantId);
      const [oldest] = windows.keys();
      if (windows.size >= MAX_WINDOWS && oldest !== undefined) windows.delete(oldest);
      windows.set(restaurantId, { startedMs: nowMs, used: 1 });
      return true;
    },
  };
}
