// The travel times known so far. A plan uses what is cached and estimates the rest. Missing ones are requested from the
// provider in the background, tile by tile, for later plans. Most places stay the same between plans, so their entries
// are kept and only those of new places are computed. A courier's current position is only a starting point: rides to
// it, by far the most expensive to compute, are never needed.
import { VEHICLES, type Vehicle } from '../../domain/couriers/courier.ts';
import type { Place } from '../../domain/geo.ts';
import { UNREACHABLE } from '../../domain/planning/search/problem.ts';
import { PlaceSlots } from './place-slots.ts';
import { NOT_COVERED, NO_ROUTE, secondsPerMeter, TILE_SIZE, type TravelTimes } from './travel-times.ts';

/** After a failure the provider gets no requests for this long. */
const REST_AFTER_FAILURE_MS = 10_000;

const METERS_PER_DEGREE = 111_195;
/** A column's cells are far apart in memory; a few hundred of them take a fraction of a millisecond. */
const CELLS_A_STEP = 512;
const SECONDS_PER_METER = Float64Array.from(VEHICLES, secondsPerMeter);

/** The provider's answer for a ride. */
const NOT_ASKED = 0;
const MEASURED = 1;
const SAID_NOTHING = 2;

export interface Rides {
  /** One matrix over all slots for each of VEHICLES, one after another; valid until the next lookup. */
  seconds: Int32Array;
  /** The number of rows and columns of a matrix. */
  locationCount: number;
  /** The row and column of each requested place. */
  slots: Int32Array;
  /** The provider's name, and what was used where it had no answer. */
  source: string;
  bridgedShare: number;
}

export interface TravelTimeCacheDeps {
  monotonicMs: () => number;
  /** Null: use only estimates. */
  provider: TravelTimes | null;
  /** Called between steps of a lookup. */
  yieldPoint?: () => void;
  /** Called when new travel times have arrived. */
  onLearned?: () => void;
  onFailure?: (reason: string) => void;
}

export const ESTIMATE = 'estimate';

export class TravelTimeCache {
  readonly #deps: TravelTimeCacheDeps;
  readonly #places = new PlaceSlots();
  #side = 0;
  #seconds = new Int32Array(0);
  /** The provider's answer for each ride; empty without a provider. */
  #known = new Uint8Array(0);
  /** By slot, in meters on a flat map; eastward ones shrink with the latitude. */
  #north = new Float64Array(0);
  #east = new Float64Array(0);
  #narrowing = new Float64Array(0);
  /** By vehicle and slot: the tenancy for which the rides from its place were computed, and those to it. */
  readonly #leftIn = VEHICLES.map((): number[] => []);
  readonly #reachedIn = VEHICLES.map((): number[] => []);
  /** From the last lookup; other rides are no longer requested. */
  #wanted: Wanted = { slots: [], stops: [], vehicles: [] };
  #isAsking = false;
  #restsUntilMs = 0;

  constructor(deps: TravelTimeCacheDeps) {
    this.#deps = deps;
  }

  /** The first `stopCount` places are stops, with rides to and from them; the rest are only starting points. */
  lookUp(places: readonly Place[], vehicles: readonly Vehicle[], stopCount = places.length): Rides {
    const { slots, fresh } = this.#places.take(places);
    if (this.#places.side !== this.#side) this.#grow();
    this.#deps.yieldPoint?.();
    for (const slot of fresh) this.#settle(slot);
    const stops = slots.subarray(0, stopCount);
    // Skips vehicles that no courier has, except for the first vehicle, by which the planner knows what is near.
    for (const vehicle of new Set([0, ...vehicles.map((name) => VEHICLES.indexOf(name))])) {
      for (const slot of slots) this.#leave(vehicle, slot);
      for (const slot of stops) this.#reach(vehicle, slot);
    }
    const rides = { seconds: this.#seconds, locationCount: this.#side, slots };
    const { provider } = this.#deps;
    if (provider === null) return { ...rides, source: ESTIMATE, bridgedShare: 0 };
    this.#wanted = { slots: [...new Set(slots)], stops: [...new Set(stops)], vehicles };
    const bridgedShare = this.#measureBridges();
    if (bridgedShare > 0) void this.#learn(provider);
    return { ...rides, source: bridgedShare > 0 ? `${provider.name}, ${ESTIMATE}` : provider.name, bridgedShare };
  }

  #grow(): void {
    const { side } = this.#places;
    this.#seconds = widen(this.#seconds, this.#side, new Int32Array(VEHICLES.length * side * side));
    if (this.#deps.provider !== null) {
      this.#known = widen(this.#known, this.#side, new Uint8Array(VEHICLES.length * side * side));
    }
    const longer = (column: Float64Array): Float64Array<ArrayBuffer> => {
      const copy = new Float64Array(side);
      copy.set(column);
      return copy;
    };
    this.#north = longer(this.#north);
    this.#east = longer(this.#east);
    this.#narrowing = longer(this.#narrowing);
    this.#side = side;
  }

  /** Stores a new place of a slot. Over a city, the flat map's error is far smaller than the estimate's. */
  #settle(slot: number): void {
    const { latitude, longitude } = this.#places.placeOf(slot);
    this.#north[slot] = latitude * METERS_PER_DEGREE;
    this.#east[slot] = longitude * METERS_PER_DEGREE;
    this.#narrowing[slot] = Math.cos((latitude * Math.PI) / 180);
  }

  /** Computes the rides from a place, unless they are present. */
  #leave(vehicle: number, slot: number): void {
    if (!this.#isNew(this.#leftIn[vehicle], slot)) return;
    this.#estimate(vehicle, slot, { cell: this.#cellOf(vehicle, slot, 0), step: 1 });
  }

  /** Computes the rides to a place, unless they are present. */
  #reach(vehicle: number, slot: number): void {
    if (!this.#isNew(this.#reachedIn[vehicle], slot)) return;
    this.#estimate(vehicle, slot, { cell: this.#cellOf(vehicle, 0, slot), step: this.#side });
  }

  /** Whether the rides have to be computed for the slot's current place; marks them as computed. */
  #isNew(doneIn: number[] = [], slot: number): boolean {
    const tenancy = this.#places.tenancyOf(slot);
    if (doneIn[slot] === tenancy) return false;
    doneIn[slot] = tenancy;
    return true;
  }

  /** Fills a row of the vehicle's matrix (from the place to all others) or a column: one cell per place. */
  #estimate(vehicle: number, slot: number, first: { cell: number; step: number }): void {
    const { count } = this.#places;
    for (let start = 0; start < count; start += CELLS_A_STEP) {
      this.#deps.yieldPoint?.();
      const end = Math.min(count, start + CELLS_A_STEP);
      this.#estimateSome(vehicle, slot, { start, end, ...first });
    }
  }

  #estimateSome(
    vehicle: number,
    slot: number,
    piece: { start: number; end: number; cell: number; step: number },
  ): void {
    // Local variables, because a first plan spends its time in this loop.
    const [norths, easts, narrowings] = [this.#north, this.#east, this.#narrowing];
    const [seconds, known] = [this.#seconds, this.#known];
    const { start, end, step } = piece;
    const secondsAMeter = SECONDS_PER_METER[vehicle] ?? 0;
    const hasProvider = known.length > 0;
    const northHere = norths[slot] ?? 0;
    const eastHere = easts[slot] ?? 0;
    const narrowingHere = narrowings[slot] ?? 0;
    for (let other = start, cell = piece.cell + start * step; other < end; other++, cell += step) {
      const north = northHere - (norths[other] ?? 0);
      const east = (eastHere - (easts[other] ?? 0)) * (narrowingHere + (narrowings[other] ?? 0)) * 0.5;
      // The array truncates to integers, so adding 0.5 rounds, at a third of the cost of rounding.
      seconds[cell] = Math.sqrt(north * north + east * east) * secondsAMeter + 0.5;
      if (hasProvider) known[cell] = NOT_ASKED;
    }
  }

  #cellOf(vehicle: number, from: number, to: number): number {
    return (vehicle * this.#side + from) * this.#side + to;
  }

  /** The share of the wanted rides that are only estimated. */
  #measureBridges(): number {
    const { slots, stops, vehicles } = this.#wanted;
    let bridged = 0;
    for (const name of vehicles) {
      const vehicle = VEHICLES.indexOf(name);
      for (const from of slots) {
        const row = this.#cellOf(vehicle, from, 0);
        for (const to of stops) if (from !== to && this.#known[row + to] !== MEASURED) bridged++;
      }
    }
    // Every stop is one of the slots, and there is no ride from a place to itself.
    return bridged === 0 ? 0 : bridged / (vehicles.length * (slots.length - 1) * stops.length);
  }

  /** Requests one tile at a time until nothing is missing: a provider never gets concurrent requests. */
  async #learn(provider: TravelTimes): Promise<void> {
    const { monotonicMs } = this.#deps;
    if (this.#isAsking || monotonicMs() < this.#restsUntilMs) return;
    this.#isAsking = true;
    let hasLearned = false;
    try {
      for (let tile = this.#nextTile(); tile !== undefined; tile = this.#nextTile()) {
        const answer = await provider.measure({
          vehicle: tile.vehicle,
          sources: tile.sources.map(({ slot }) => this.#places.placeOf(slot)),
          targets: tile.targets.map(({ slot }) => this.#places.placeOf(slot)),
        });
        this.#take(tile, answer);
        hasLearned = true;
      }
    } catch (error) {
      this.#restsUntilMs = monotonicMs() + REST_AFTER_FAILURE_MS;
      this.#deps.onFailure?.(error instanceof Error ? error.message : String(error));
    } finally {
      this.#isAsking = false;
    }
    // Places off the map always leave something missing without anything new to learn.
    if (hasLearned) this.#deps.onLearned?.();
  }

  /** A source with missing rides, other sources to go with it, and the targets that the first one misses. */
  #nextTile(): Tile | undefined {
    const { slots, stops, vehicles } = this.#wanted;
    for (const vehicle of vehicles) {
      const number = VEHICLES.indexOf(vehicle);
      const isMissing = (from: number, to: number): boolean =>
        from !== to && this.#known[this.#cellOf(number, from, to)] === NOT_ASKED;
      for (const [index, source] of slots.entries()) {
        const targets = takeSome(stops, 0, (target) => isMissing(source, target));
        if (targets.length === 0) continue;
        const sources = takeSome(slots, index, (other) => targets.some((target) => isMissing(other, target)));
        const note = (slot: number): TileSlot => ({ slot, tenancy: this.#places.tenancyOf(slot) });
        return { vehicle, sources: sources.map(note), targets: targets.map(note) };
      }
    }
    return undefined;
  }

  #take({ vehicle, sources, targets }: Tile, answer: Int32Array): void {
    if (answer.length !== sources.length * targets.length)
      throw new Error('the provider returned a different number of travel times');
    const isStill = ({ slot, tenancy }: TileSlot): boolean => this.#places.tenancyOf(slot) === tenancy;
    for (const [row, source] of sources.entries()) {
      for (const [column, target] of targets.entries()) {
        // The slot may have been given to another place in the meantime.
        if (source.slot === target.slot || !isStill(source) || !isStill(target)) continue;
        const cell = this.#cellOf(VEHICLES.indexOf(vehicle), source.slot, target.slot);
        const seconds = answer[row * targets.length + column] ?? NOT_COVERED;
        this.#known[cell] = seconds === NOT_COVERED ? SAID_NOTHING : MEASURED;
        if (seconds !== NOT_COVERED) this.#seconds[cell] = seconds === NO_ROUTE ? UNREACHABLE : seconds;
      }
    }
  }
}

interface Wanted {
  slots: readonly number[];
  /** The slots among them that are destinations. */
  stops: readonly number[];
  vehicles: readonly Vehicle[];
}

interface TileSlot {
  slot: number;
  tenancy: number;
}

interface Tile {
  vehicle: Vehicle;
  sources: readonly TileSlot[];
  targets: readonly TileSlot[];
}

/** As many as fit into a tile. */
function takeSome(slots: readonly number[], start: number, isWanted: (slot: number) => boolean): number[] {
  const taken: number[] = [];
  for (let index = start; index < slots.length && taken.length < TILE_SIZE; index++) {
    const slot = slots[index];
    if (slot !== undefined && isWanted(slot)) taken.push(slot);
  }
  return taken;
}

/** Copies the matrix of each vehicle, row by row, into a larger one. */
function widen<Cells extends Int32Array | Uint8Array>(before: Cells, side: number, after: Cells): Cells {
  const newSide = Math.sqrt(after.length / VEHICLES.length);
  for (let row = 0; row < VEHICLES.length * side; row++) {
    const to = (Math.floor(row / side) * newSide + (row % side)) * newSide;
    after.set(before.subarray(row * side, (row + 1) * side), to);
  }
  return after;
}
