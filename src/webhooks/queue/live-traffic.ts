// Which endpoints recently got a delivery straight from a commit. Backlogs yield to such live traffic, unless all of it
// belongs to the same endpoint.

/** Longer than the gaps between the events of a busy kitchen. */
const MOMENT_MS = 1_000;

export class LiveTraffic {
  #lastKey: string | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** When an endpoint other than the last one got something. */
  #otherMs = Number.NEGATIVE_INFINITY;

  note(key: string, nowMs: number): void {
    if (key !== this.#lastKey) {
      this.#otherMs = this.#lastMs;
      this.#lastKey = key;
    }
    this.#lastMs = nowMs;
  }

  /** Whether any other endpoint has live traffic. */
  hasOthersThan(key: string, nowMs: number): boolean {
    return nowMs - (key === this.#lastKey ? this.#otherMs : this.#lastMs) < MOMENT_MS;
  }
}
