/** A small fast generator (xorshift128): the same seed gives the same numbers on every machine. */
export class SeededRandom {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number) {
    this.#a = seed | 0 || 0x9e3779b9 | 0;
    this.#b = 0x243f6a88;
    this.#c = 0xb7e15162 | 0;
    this.#d = seed ^ 0x5deece66;
    // The first numbers of neighboring seeds are similar.
    for (let round = 0; round < 16; round++) this.next32();
  }

  /** An unsigned 32-bit integer. */
  next32(): number {
    let t = this.#d;
    const s = this.#a;
    this.#d = this.#c;
    this.#c = this.#b;
    this.#b = s;
    t ^= t << 11;
    t ^= t >>> 8;
    this.#a = t ^ s ^ (s >>> 19);
    return this.#a >>> 0;
  }

  /** At least 0, below 1. */
  nextFraction(): number {
    return this.next32() / 4294967296;
  }

  /** An integer from 0 to below the bound. */
  nextBelow(bound: number): number {
    return Math.floor((this.next32() / 4294967296) * bound);
  }
}
