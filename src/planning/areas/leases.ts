// The areas that this planner works on. They are kept by a heartbeat of their own, because a plan for a large area may
// take longer than a lease lasts on a busy machine. It also finds areas whose planner died, sooner than a look would.
import type { Platform } from '../../platform.ts';
import type { Database } from '../../store/database/database.ts';
import { AREA_LEASE_MS, claimAreas, listHeldAreas, releaseAreas, type HeldArea } from '../../store/planning/areas.ts';

const BEAT_INTERVAL_MS = 1_500;
/** A planner that was not sure of its areas for longer, because it was frozen for example, must not act. */
const SAFE_MS = AREA_LEASE_MS - 2_000;

export interface AreaLeasesDeps extends Pick<Platform, 'clock' | 'newId'> {
  db: Database;
  /** A beat brought an area that somebody else had. */
  onGained(): void;
}

export class AreaLeases {
  readonly #deps: AreaLeasesDeps;
  readonly #planner: string;
  /** Those that were claimed last, whoever has them. */
  #wanted: readonly string[] = [];
  #held: readonly string[] = [];
  #heldAtMs = Number.NEGATIVE_INFINITY;
  #beating: NodeJS.Timeout | undefined;
  /** One question at a time: an answer that comes late would bring back what was held before it. */
  #lastAsked: Promise<unknown> = Promise.resolve();
  #underWay = 0;

  constructor(deps: AreaLeasesDeps) {
    this.#deps = deps;
    this.#planner = deps.newId();
  }

  /** What it has. Nothing is written for it: the heartbeat keeps the areas, however many rounds there are. */
  async list(): Promise<HeldArea[]> {
    return this.#held.length === 0 ? [] : listHeldAreas(this.#deps.db, this.#planner, this.#held);
  }

  /** Takes what is free of the areas named and keeps what it has of them. */
  async claim(areaIds: readonly string[]): Promise<HeldArea[]> {
    this.#wanted = areaIds;
    const held = await this.#inTurn(() => this.#hold(areaIds));
    this.#beating ??= setInterval(() => void this.#beat(), BEAT_INTERVAL_MS).unref();
    return held;
  }

  /** Whether the area is certainly still this planner's, for long enough to act. */
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
    // The moment before the question: the answer proves that the areas were held no earlier.
    const askedAtMs = this.#deps.clock.monotonicMs();
    const held = await claimAreas(this.#deps.db, this.#planner, areaIds);
    this.#held = held.map(({ id }) => id);
    this.#heldAtMs = askedAtMs;
    return held;
  }

  async #beat(): Promise<void> {
    // A claim that is under way keeps what is wanted, too.
    if (this.#wanted.length === 0 || this.#underWay > 0) return;
    const before = this.#held;
    // A beat that is lost is made good by the next one, or by not acting any more.
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
