// Whether this node can commit. The evidence is its own work: a commit of intake that succeeded, or one that has been
// waiting. Without recent evidence it commits a probe, so that a busy node does not pay for probes.
import type { Clock } from '../../platform.ts';
import { DatabaseUnavailable } from '../../store/database/database.ts';

export const MAX_WITHOUT_COMMIT_MS = 3_000;
export const PROBE_INTERVAL_MS = 1_000;

export type Readiness =
  /** `isDoubtful`: the last attempt failed, so the database may be gone. */
  { isReady: true; isDoubtful: boolean } | { isReady: false; reason: string };

interface Deps {
  clock: Pick<Clock, 'monotonicMs'>;
  /** Commits something that changes nothing. */
  probe: () => Promise<void>;
}

export class CommitReadiness {
  readonly #deps: Deps;
  #committedAtMs: number | undefined;
  /** Since when commits of intake have been waiting or failing, with none succeeding. */
  #stuckSinceMs: number | undefined;
  #underWay = 0;
  #hasFailed = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  state(): Readiness {
    const nowMs = this.#deps.clock.monotonicMs();
    const silentMs = nowMs - (this.#committedAtMs ?? Number.NEGATIVE_INFINITY);
    if (silentMs === Infinity) return { isReady: false, reason: 'No commit has succeeded yet' };
    if (silentMs > MAX_WITHOUT_COMMIT_MS) {
      return { isReady: false, reason: `No commit has succeeded for ${Math.floor(silentMs / 1_000)} s` };
    }
    const stuckMs = nowMs - (this.#stuckSinceMs ?? nowMs);
    if (stuckMs > MAX_WITHOUT_COMMIT_MS) {
      return { isReady: false, reason: `Orders have waited for a commit for ${Math.floor(stuckMs / 1_000)} s` };
    }
    return { isReady: true, isDoubtful: this.#hasFailed };
  }

  /** Runs a commit of intake. `hasWritten` returns whether the result means that something was committed. */
  async watch<Result>(commit: () => Promise<Result>, hasWritten: (result: Result) => boolean): Promise<Result> {
    const { clock } = this.#deps;
    this.#underWay += 1;
    this.#stuckSinceMs ??= clock.monotonicMs();
    try {
      const result = await commit();
      if (hasWritten(result)) this.#succeed();
      this.#stuckSinceMs = this.#underWay > 1 ? clock.monotonicMs() : undefined;
      return result;
    } catch (error) {
      // Any other error means that the database has answered.
      if (error instanceof DatabaseUnavailable) this.#hasFailed = true;
      else if (this.#underWay === 1) this.#stuckSinceMs = undefined;
      throw error;
    } finally {
      this.#underWay -= 1;
    }
  }

  /** Commits a probe, unless a recent commit makes that unnecessary. */
  async look(): Promise<void> {
    const { clock, probe } = this.#deps;
    // A little less than the interval, so that each round after a probe needs a new one.
    if (clock.monotonicMs() - (this.#committedAtMs ?? Number.NEGATIVE_INFINITY) < PROBE_INTERVAL_MS * 0.9) return;
    try {
      await probe();
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
    this.#succeed();
    // After a failure no order may have come, so only a probe can show that the outage is over.
    if (this.#underWay === 0) this.#stuckSinceMs = undefined;
  }

  #succeed(): void {
    this.#committedAtMs = this.#deps.clock.monotonicMs();
    this.#hasFailed = false;
  }
}
