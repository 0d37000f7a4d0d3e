// What is known about rides so far. A plan takes what is there and estimates the rest; what is missing is asked of the
// provider behind the plan's back, tile by tile, and is there for the next one.
import type { Vehicle } from '../domain/courier.ts';
import type { Place } from '../domain/geo.ts';
import { UNREACHABLE } from '../domain/planning/problem.ts';
import { estimateAll, NO_WAY, TILE_SIZE, type TravelTimes } from './travel-times.ts';

/** Places that are remembered at once for each vehicle: 16 MB. When it is full, all are forgotten. */
const MOST_PLACES = 2_048;
/** About 55 m: couriers move all the time, and no ride is known better than that. */
const STEPS_PER_DEGREE = 2_000;
/** After a failure the provider is left alone for a while. */
const REST_AFTER_FAILURE_MS = 10_000;

const UNKNOWN = -2;

export interface Rides {
  /** One matrix over the places for each vehicle, behind one another; UNREACHABLE in gaps. */
  seconds: Int32Array;
  /** The provider's name, with what had to stand in for it. */
  source: string;
  bridgedShare: number;
}

export interface TravelBookDeps {
  monotonicMs: () => number;
  /** Null: estimates are all there is. */
  provider: TravelTimes | null;
  /** Called when something new was learnt. */
  onLearnt?: () => void;
  onFailure?: (reason: string) => void;
}

export const ESTIMATE = 'estimate';

export class TravelBook {
  readonly #deps: TravelBookDeps;
  readonly #pages = new Map<Vehicle, Page>();
  #isAsking = false;
  #restsUntilMs = 0;

  constructor(deps: TravelBookDeps) {
    this.#deps = deps;
  }

  lookUp(places: readonly Place[], vehicles: readonly Vehicle[]): Rides {
    const size = places.length * places.length;
    const seconds = new Int32Array(size * vehicles.length);
    let bridged = 0;
    for (const [index, vehicle] of vehicles.entries()) {
      const cells = seconds.subarray(index * size, (index + 1) * size);
      cells.set(estimateAll(vehicle, places));
      if (this.#deps.provider !== null) bridged += this.#pageOf(vehicle).fillIn(cells, places);
    }
    const { provider } = this.#deps;
    if (provider === null) return { seconds, source: ESTIMATE, bridgedShare: 0 };
    if (bridged > 0) void this.#learn(vehicles);
    const bridgedShare = seconds.length === 0 ? 0 : bridged / seconds.length;
    return { seconds, source: bridged > 0 ? `${provider.name}, ${ESTIMATE}` : provider.name, bridgedShare };
  }

  #pageOf(vehicle: Vehicle): Page {
    const page = this.#pages.get(vehicle) ?? new Page();
    this.#pages.set(vehicle, page);
    return page;
  }

  /** One tile at a time, until nothing is missing: a provider is never asked twice at once. */
  async #learn(vehicles: readonly Vehicle[]): Promise<void> {
    const { provider, monotonicMs } = this.#deps;
    if (provider === null || this.#isAsking || monotonicMs() < this.#restsUntilMs) return;
    this.#isAsking = true;
    try {
      for (const vehicle of vehicles) {
        const page = this.#pageOf(vehicle);
        for (let tile = page.nextTile(); tile !== undefined; tile = page.nextTile()) {
          const { sources, targets } = tile;
          const answer = await provider.measure({
            vehicle,
            sources: sources.map((slot) => page.placeOf(slot)),
            targets: targets.map((slot) => page.placeOf(slot)),
          });
          page.learn(tile, answer);
        }
      }
      this.#deps.onLearnt?.();
    } catch (error) {
      this.#restsUntilMs = monotonicMs() + REST_AFTER_FAILURE_MS;
      this.#deps.onFailure?.(error instanceof Error ? error.message : String(error));
    } finally {
      this.#isAsking = false;
    }
  }
}

interface Tile {
  /** Slots, and the generation of the page that they belong to. */
  sources: readonly number[];
  targets: readonly number[];
  generation: number;
}

/** The rides of one vehicle between the places that were asked for. */
class Page {
  #places: Place[] = [];
  readonly #slots = new Map<string, number>();
  #cells = new Int32Array(0);
  #side = 0;
  #generation = 0;

  /** Overwrites estimates with what is known; says how many cells remain estimates. */
  fillIn(cells: Int32Array, places: readonly Place[]): number {
    if (this.#slots.size + places.length > MOST_PLACES) this.#forget();
    const slots = places.map((place) => this.#slotOf(place));
    let missing = 0;
    for (const [from, source] of slots.entries()) {
      const row = source * this.#side;
      for (const [to, target] of slots.entries()) {
        if (source === target) continue;
        const known = source < 0 || target < 0 ? UNKNOWN : (this.#cells[row + target] ?? UNKNOWN);
        if (known === UNKNOWN) missing++;
        else cells[from * places.length + to] = known === NO_WAY ? UNREACHABLE : known;
      }
    }
    return missing;
  }

  placeOf(slot: number): Place {
    return this.#places[slot] ?? { latitude: 0, longitude: 0 };
  }

  /** A source with something missing, others with it, and what is missing from the first. */
  nextTile(): Tile | undefined {
    const count = this.#places.length;
    for (let source = 0; source < count; source++) {
      const targets: number[] = [];
      for (let target = 0; target < count && targets.length < TILE_SIZE; target++) {
        if (this.#cells[source * this.#side + target] === UNKNOWN && source !== target) targets.push(target);
      }
      const [first] = targets;
      if (first === undefined) continue;
      const sources: number[] = [];
      for (let other = source; other < count && sources.length < TILE_SIZE; other++) {
        const isMissing = targets.some((target) => this.#cells[other * this.#side + target] === UNKNOWN);
        if (isMissing) sources.push(other);
      }
      return { sources, targets, generation: this.#generation };
    }
    return undefined;
  }

  learn({ sources, targets, generation }: Tile, answer: Int32Array): void {
    if (answer.length !== sources.length * targets.length) throw new Error('the provider gave another number of times');
    if (generation !== this.#generation) return;
    for (const [row, source] of sources.entries()) {
      for (const [column, target] of targets.entries()) {
        this.#cells[source * this.#side + target] = answer[row * targets.length + column] ?? NO_WAY;
      }
    }
  }

  /** Below 0 where there is no room for another place. */
  #slotOf(place: Place): number {
    const snapped = {
      latitude: Math.round(place.latitude * STEPS_PER_DEGREE) / STEPS_PER_DEGREE,
      longitude: Math.round(place.longitude * STEPS_PER_DEGREE) / STEPS_PER_DEGREE,
    };
    const key = `${snapped.latitude},${snapped.longitude}`;
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    if (this.#places.length >= MOST_PLACES) return -1;
    const slot = this.#places.push(snapped) - 1;
    this.#slots.set(key, slot);
    if (slot >= this.#side) this.#grow();
    this.#cells[slot * this.#side + slot] = 0;
    return slot;
  }

  #grow(): void {
    const side = Math.min(MOST_PLACES, Math.max(64, this.#side * 2));
    const cells = new Int32Array(side * side).fill(UNKNOWN);
    for (let row = 0; row < this.#side; row++) {
      cells.set(this.#cells.subarray(row * this.#side, (row + 1) * this.#side), row * side);
    }
    this.#cells = cells;
    this.#side = side;
  }

  #forget(): void {
    this.#places = [];
    this.#slots.clear();
    this.#cells = new Int32Array(0);
    this.#side = 0;
    this.#generation++;
  }
}
