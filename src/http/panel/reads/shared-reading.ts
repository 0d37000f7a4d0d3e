// One reading for all who wait for it, and a pause between two: however many pages are open, the database is asked
// seldom. Nobody gets what was read before they asked, as from a memory: they may ask because of what happened since,
// and at another node than the one that told them of it.
import type { Clock } from '../../../platform.ts';

export interface PacedReading<Value> {
  get(key: string, read: () => Promise<Value>): Promise<Value>;
}

interface Begun {
  atMs: number;
  ended: Promise<unknown>;
}

const MOST_KEYS = 1_000;

export function createPacedReading<Value>(clock: Clock, pauseMs: number): PacedReading<Value> {
  const last = new Map<string, Begun>();
  const next = new Map<string, Promise<Value>>();

  async function readInTurn(key: string, read: () => Promise<Value>): Promise<Value> {
    const before = last.get(key);
    await before?.ended;
    await pause(before === undefined ? 0 : before.atMs + pauseMs - clock.monotonicMs());
    next.delete(key);
    if (last.size >= MOST_KEYS) last.clear();
    const value = read();
    // Whoever asked is told of a failure; the next one only waits for it to end.
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
