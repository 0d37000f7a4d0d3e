// Shares one database read among all waiting callers, with a pause between reads, so that the load doesn't grow with
// the number of open pages. Unlike a cache, it never returns a read that started before the call: the caller may be
// reacting to a change since then, of which another node notified it.
import type { Clock } from '../../../platform.ts';

export interface SharedReads<Value> {
  get(key: string, read: () => Promise<Value>): Promise<Value>;
}

interface Begun {
  atMs: number;
  ended: Promise<unknown>;
}

const MAX_KEYS = 1_000;

export function createSharedReads<Value>(clock: Clock, pauseMs: number): SharedReads<Value> {
  const last = new Map<string, Begun>();
  const next = new Map<string, Promise<Value>>();

  async function readInTurn(key: string, read: () => Promise<Value>): Promise<Value> {
    const before = last.get(key);
    await before?.ended;
    await pause(before === undefined ? 0 : before.atMs + pauseMs - clock.monotonicMs());
    next.delete(key);
    if (last.size >= MAX_KEYS) last.clear();
    const value = read();
    // Callers of this read get its failure; the next read only waits for it to end.
    last.set(key, { atMs: clock.monotonicMs(), ended: value.catch(() => undefined) });
    return value;
  }

  return {
    get(key, read) {
      const shared = next.get(key) ?? readInTurn(key, read);
      next.set(key, shared);
      return shared;
    },
  };
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => void setTimeout(resolve, ms));
}
