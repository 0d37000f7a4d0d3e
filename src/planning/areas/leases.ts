// The leases of the areas that this planner works on. They have a separate heartbeat, because a plan for a large area
// may outlast a lease on a busy machine. The heartbeat also finds areas of dead planners sooner than a full read would.
import type { Platform } from '../../platform.ts';
import type { Database } from '../../store/database/database.ts';
import { AREA_LEASE_MS, claimAreas, listHeldAreas, releaseAreas, type HeldArea } from '../../store/planning/areas.ts';

const BEAT_INTERVAL_MS = 1_500;
/** A planner whose last confirmed lease is older than this, for example because it was frozen, must not act. */
const SAFE_MS = AREA_LEASE_MS - 2_000;

export interface AreaLeasesDeps extends Pick<Platform, 'clock' | 'newId'> {
  db: Database;
  /** A heartbeat gained an area that another planner had. */
  onGained(): void;
}

export class AreaLeases {
  readonly #deps: AreaLeasesDeps;
  readonly #planner: string;
  /** The areas of the last claim, whether or not they were free. */
  #wanted: readonly string[] = [];
  #held: readonly string[] = [];
  #heldAtMs = Number.NEGATIVE_INFINITY;
  #beating: NodeJS.Timeout | undefined;
  /** One statement at a time: a late answer would overwrite a newer list of held areas. */
  #lastAsked: Promise<unknown> = Promise.resolve();
  #underWay = 0;

  constructor(deps: AreaLeasesDeps) {
    this.#deps = deps;
    this.#planner = deps.newId();
  }

  /** The areas it holds. Writes nothing: the heartbeat keeps the leases, however many rounds there are. */
  async list(): Promise<HeldArea[]> {
    return this.#held.length === 0 ? [] : listHeldAreas(this.#deps.db, this.#planner, this.#held);
  }

  /** Claims the named areas that are free, and keeps those of them that it already holds. */
  async claim(areaIds: readonly string[]): Promise<HeldArea[]> {
    this.#wanted = areaIds;
    const held = await this.#inTurn(() => this.#hold(areaIds));
    this.#beating ??= setInterval(() => void this.#beat(), BEAT_INTERVAL_MS).unref();
    return held;
  }

  /** Whether this planner certainly holds the area for long enough to act. */
  isSafe(areaId: string): boolean {
    return this.#held.includes(areaId) && this.#deps.clock.monotonicMs() - this.#heldAtMs < SAFE_MS;
  }

  async release(): Promise<void> {
    clearInterval(this.#beating);
    this.#beating = undefined;
    this.#wanted = [];
    await this.#inTurn(() => {
      this.#held = [];
      return releaseAreas(this.#deps.db, this.#planner);
    });
  }

  async #hold(areaIds: readonly string[]): Promise<HeldArea[]> {
    // Read before the statement: its answer proves that the areas were held no earlier than this.
    const askedAtMs = this.#deps.clock.monotonicMs();
    const held = await claimAreas(this.#deps.db, this.#planner, areaIds);
    this.#held = held.map(({ id }) => id);
    this.#heldAtMs = askedAtMs;
    return held;
  }

  async #beat(): Promise<void> {
    // A running claim also renews the leases.
    if (this.#wanted.length === 0 || this.#underWay > 0) return;
    const before = this.#held;
    // The next heartbeat makes up for a failed one; if that fails too, the planner stops acting.
    await this.#inTurn(() => this.#hold(this.#wanted)).catch(() => undefined);
    if (this.#held.some((id) => !before.includes(id))) this.#deps.onGained();
  }

  async #inTurn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#underWay += 1;
    const answer = this.#lastAsked.then(ask);
    this.#lastAsked = answer.catch(() => undefined);
    try {
      return await answer;
    } finally {
      this.#underWay -= 1;
    }
  }
}
