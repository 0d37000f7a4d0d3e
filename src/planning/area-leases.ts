// The areas that this planner works on. They are kept by a heartbeat of their own, because a plan for a large area may
// take longer than a lease lasts on a busy machine.
import type { Platform } from '../platform.ts';
import type { Database } from '../store/database.ts';
import { AREA_LEASE_MS, claimAreas, listHeldAreas, releaseAreas, type HeldArea } from '../store/planning-areas.ts';

const BEAT_INTERVAL_MS = 1_500;
/** A planner that was not sure of its areas for longer, because it was frozen for example, must not act. */
const SAFE_MS = AREA_LEASE_MS - 2_000;

export class AreaLeases {
  readonly #deps: Pick<Platform, 'clock' | 'newId'> & { db: Database };
  readonly #planner: string;
  #held: readonly string[] = [];
  #heldAtMs = Number.NEGATIVE_INFINITY;
  #beating: NodeJS.Timeout | undefined;

  constructor(deps: Pick<Platform, 'clock' | 'newId'> & { db: Database }) {
    this.#deps = deps;
    this.#planner = deps.newId();
  }

  /** What it has. Nothing is written for it: the heartbeat keeps the areas, however many rounds there are. */
  async list(): Promise<HeldArea[]> {
    return this.#held.length === 0 ? [] : listHeldAreas(this.#deps.db, this.#planner, this.#held);
  }

  /** Takes what is free of the areas named and keeps what it has of them. */
  async claim(areaIds: readonly string[]): Promise<HeldArea[]> {
    // The moment before the question: the answer proves that the areas were held no earlier.
    const askedAtMs = this.#deps.clock.monotonicMs();
    const held = await claimAreas(this.#deps.db, this.#planner, areaIds);
    this.#held = held.map(({ id }) => id);
    this.#heldAtMs = askedAtMs;
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
    this.#held = [];
    await releaseAreas(this.#deps.db, this.#planner);
  }

  async #beat(): Promise<void> {
    if (this.#held.length === 0) return;
    // A beat that is lost is made good by the next one, or by not acting any more.
    await this.claim(this.#held).catch(() => undefined);
  }
}
