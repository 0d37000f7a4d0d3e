// Caches answers briefly, so that many open pages of one restaurant query the database once.
import type { Clock } from '../../../platform.ts';

export interface ShortCache<Value> {
  get(key: string, read: () => Promise<Value>): Promise<Value>;
}

const MAX_KEYS = 1_000;

export function createShortCache<Value>(clock: Clock, keepMs: number): ShortCache<Value> {
  const known = new Map<string, { untilMs: number; value: Promise<Value> }>();
  return {
    get(key, read) {
      const nowMs = clock.monotonicMs();
      const entry = known.get(key);
      if (entry !== undefined && entry.untilMs > nowMs) return entry.value;
      if (known.size >= MAX_KEYS) known.clear();
      const value = read();
      known.set(key, { untilMs: nowMs + keepMs, value });
      // Failures are not cached: the next call tries again.
      value.catch(() => known.delete(key));
      return value;
    },
  };
}
