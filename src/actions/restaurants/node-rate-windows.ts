// Counts requests in this node alone, for the time in which the shared count cannot be used: it is in an unlogged table,
// which a standby cannot read and a crash empties. Each node then admits the whole limit.
import type { Restaurant } from '../../domain/restaurants/restaurant.ts';
import { MINUTE_MS, type Instant } from '../../domain/time.ts';
import type { Clock } from '../../platform.ts';

interface Window {
  startedAt: Instant;
  used: number;
}

const MAX_WINDOWS = 10_000;

export function createNodeRateWindows(clock: Pick<Clock, 'now'>) {
  const windows = new Map<string, Window>();
  return {
    /** False: the restaurant has used up its limit in this node. */
    admit({ id, rateLimitPerMinute }: Pick<Restaurant, 'id' | 'rateLimitPerMinute'>): boolean {
      const now = clock.now();
      let window = windows.get(id);
      const isRunning = window !== undefined && now >= window.startedAt && now < window.startedAt + MINUTE_MS;
      if (window === undefined || !isRunning) {
        if (windows.size >= MAX_WINDOWS) windows.clear();
        window = { startedAt: now, used: 0 };
        windows.set(id, window);
      }
      if (window.used >= rateLimitPerMinute) return false;
      window.used += 1;
      return true;
    },
  };
}
