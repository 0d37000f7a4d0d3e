// Reproducible random numbers: the same seed gives the same draws.

export interface Chance {
  /** An integer from 0 to limit - 1. */
  below(limit: number): number;
  isTrue(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/** A random seed, unless WAYBILL_TEST_SEED gives the seed of a failed run. */
export function newSeed(): number {
  return Number(process.env['WAYBILL_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 32));
}

/** Mulberry32: short, and random enough to choose what a test does. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (limit) => Math.floor(next() * limit),
    isTrue: (probability) => next() < probability,
    pick: (items) => {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error('Nothing to pick from');
      return item;
    },
  };
}
