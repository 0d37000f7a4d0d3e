// Which endpoints got something straight from a commit a moment ago. What is late already gives way to that, unless it
// is all the same endpoint's.

/** Longer than the pauses of a kitchen that is busy. */
const MOMENT_MS = 1_000;

export class LiveTraffic {
  #lastKey: string | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** When the last other endpoint got something. */
  #otherMs = Number.NEGATIVE_INFINITY;

  note(key: string, nowMs: number): void {
    if (key !== this.#lastKey) {
      this.#otherMs = this.#lastMs;
      this.#lastKey = key;
    }
    this.#lastMs = nowMs;
  }

  /** Whether any but this endpoint is among them. */
  hasOthersThan(key: string, nowMs: number): boolean {
    return nowMs - (key === this.#lastKey ? this.#otherMs : this.#lastMs) < MOMENT_MS;
  }
}
