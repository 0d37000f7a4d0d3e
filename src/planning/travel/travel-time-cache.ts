// What is known about rides so far. A plan takes what is there and estimates the rest; what is missing is asked of the
// provider behind the plan's back, tile by tile, and is there for the next one. Most places are the same from plan to
// plan, so their rides stay where they are, and only those of new places are worked out. Where a courier is now is a place
// that is only left: the rides to it, by far the dearest to work out, are nobody's.
import { VEHICLES, type Vehicle } from '../../domain/couriers/courier.ts';
import type { Place } from '../../domain/geo.ts';
import { UNREACHABLE } from '../../domain/planning/search/problem.ts';
import { PlaceSlots } from './place-slots.ts';
import { CANNOT_TELL, NO_WAY, secondsPerMeter, TILE_SIZE, type TravelTimes } from './travel-times.ts';

/** After a failure the provider is left alone for a while. */
const REST_AFTER_FAILURE_MS = 10_000;

const METERS_PER_DEGREE = 111_195;
/** A column's cells lie far from one another, and a few hundred of them take a part of a millisecond. */
const CELLS_A_STEP = 512;
const SECONDS_PER_METER = Float64Array.from(VEHICLES, secondsPerMeter);

/** What the provider said of a ride. */
const NOT_ASKED = 0;
const MEASURED = 1;
const SAID_NOTHING = 2;

export interface Rides {
  /** A matrix over all slots for each of VEHICLES, behind one another; good until the next look-up. */
  seconds: Int32Array;
  /** How many rows and columns a matrix has. */
  locationCount: number;
  /** For each place that was asked for, its row and column. */
  slots: Int32Array;
  /** The provider's name, with what had to stand in for it. */
  source: string;
  bridgedShare: number;
}

export interface TravelBookDeps {
  monotonicMs: () => number;
  /** Null: estimates are all there is. */
  provider: TravelTimes | null;
  /** Called between steps of a look-up. */
  breathe?: () => void;
  /** Called when something new was learnt. */
  onLearnt?: () => void;
  onFailure?: (reason: string) => void;
}

export const ESTIMATE = 'estimate';

export class TravelBook {
  readonly #deps: TravelBookDeps;
  readonly #places = new PlaceSlots();
  #side = 0;
  #seconds = new Int32Array(0);
  /** Of each ride, what the provider said; empty without one. */
  #known = new Uint8Array(0);
  /** By slot, in metres on a flat map; eastward ones shrink with the latitude. */
  #north = new Float64Array(0);
  #east = new Float64Array(0);
  #narrowing = new Float64Array(0);
  /** By vehicle and slot: the tenancy for which the rides from its place were worked out, and those to it. */
  readonly #leftIn = VEHICLES.map((): number[] => []);
  readonly #reachedIn = VEHICLES.map((): number[] => []);
  /** Of the last look-up: what is not wanted any more is not asked for. */
  #wanted: Wanted = { slots: [], stops: [], vehicles: [] };
  #isAsking = false;
  #restsUntilMs = 0;

  constructor(deps: TravelBookDeps) {
    this.#deps = deps;
  }

  /** The first so many of the places are stops, to which somebody rides; from the rest one only leaves. */
  lookUp(places: readonly Place[], vehicles: readonly Vehicle[], stopCount = places.length): Rides {
    const { slots, fresh } = this.#places.take(places);
    if (this.#places.side !== this.#side) this.#grow();
    this.#deps.breathe?.();
    for (const slot of fresh) this.#settle(slot);
    const stops = slots.subarray(0, stopCount);
    // Those of vehicles that nobody rides are never worked out, but for the first, by which the planner knows what is near.
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

  /** A place that is new in its slot. Over a city the flat map errs far less than the estimate. */
  #settle(slot: number): void {
    const { latitude, longitude } = this.#places.placeOf(slot);
    this.#north[slot] = latitude * METERS_PER_DEGREE;
    this.#east[slot] = longitude * METERS_PER_DEGREE;
    this.#narrowing[slot] = Math.cos((latitude * Math.PI) / 180);
  }

  /** The rides from a place, unless they are there. */
  #leave(vehicle: number, slot: number): void {
    if (!this.#isNew(this.#leftIn[vehicle], slot)) return;
    this.#estimate(vehicle, slot, { cell: this.#cellOf(vehicle, slot, 0), step: 1 });
  }

  /** And those to it. */
  #reach(vehicle: number, slot: number): void {
    if (!this.#isNew(this.#reachedIn[vehicle], slot)) return;
    this.#estimate(vehicle, slot, { cell: this.#cellOf(vehicle, 0, slot), step: this.#side });
  }

  /** Whether they have to be worked out for the place that the slot has now; it counts as done from then on. */
  #isNew(doneIn: number[] = [], slot: number): boolean {
    const tenancy = this.#places.tenancyOf(slot);
    if (doneIn[slot] === tenancy) return false;
    doneIn[slot] = tenancy;
    return true;
  }

  /** Fills a row of the vehicle's matrix, from the place to all others, or a column: a cell for each place. */
  #estimate(vehicle: number, slot: number, first: { cell: number; step: number }): void {
    const { count } = this.#places;
    for (let start = 0; start < count; start += CELLS_A_STEP) {
      this.#deps.breathe?.();
      const end = Math.min(count, start + CELLS_A_STEP);
      this.#estimateSome(vehicle, slot, { start, end, ...first });
    }
  }

  #estimateSome(
    vehicle: number,
    slot: number,
    piece: { start: number; end: number; cell: number; step: number },
  ): void {
    // In variables of its own, because this is the loop in which a first plan spends its time.
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
      // The array keeps whole numbers and cuts off the rest: this is rounding, at a third of the price.
      seconds[cell] = Math.sqrt(north * north + east * east) * secondsAMeter + 0.5;
      if (hasProvider) known[cell] = NOT_ASKED;
    }
  }

  #cellOf(vehicle: number, from: number, to: number): number {
    return (vehicle * this.#side + from) * this.#side + to;
  }

  /** Which share of the rides wanted is estimated for want of something better. */
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
    // Every stop is one of the slots, and nobody rides from a place to itself.
    return bridged === 0 ? 0 : bridged / (vehicles.length * (slots.length - 1) * stops.length);
  }

  /** One tile at a time, until nothing is missing: a provider is never asked twice at once. */
  async #learn(provider: TravelTimes): Promise<void> {
    const { monotonicMs } = this.#deps;
    if (this.#isAsking || monotonicMs() < this.#restsUntilMs) return;
    this.#isAsking = true;
    let hasLearnt = false;
    try {
      for (let tile = this.#nextTile(); tile !== undefined; tile = this.#nextTile()) {
        const answer = await provider.measure({
          vehicle: tile.vehicle,
          sources: tile.sources.map(({ slot }) => this.#places.placeOf(slot)),
          targets: tile.targets.map(({ slot }) => this.#places.placeOf(slot)),
        });
        this.#take(tile, answer);
        hasLearnt = true;
      }
    } catch (error) {
      this.#restsUntilMs = monotonicMs() + REST_AFTER_FAILURE_MS;
      this.#deps.onFailure?.(error instanceof Error ? error.message : String(error));
    } finally {
      this.#isAsking = false;
    }
    // Off the map there is always something missing and never anything to learn.
    if (hasLearnt) this.#deps.onLearnt?.();
  }

  /** A source with something missing, others with it, and what is missing from the first. */
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
    if (answer.length !== sources.length * targets.length) throw new Error('the provider gave another number of times');
    const isStill = ({ slot, tenancy }: TileSlot): boolean => this.#places.tenancyOf(slot) === tenancy;
    for (const [row, source] of sources.entries()) {
      for (const [column, target] of targets.entries()) {
        // Meanwhile the slot may have been given to another place.
        if (source.slot === target.slot || !isStill(source) || !isStill(target)) continue;
        const cell = this.#cellOf(VEHICLES.indexOf(vehicle), source.slot, target.slot);
        const seconds = answer[row * targets.length + column] ?? CANNOT_TELL;
        this.#known[cell] = seconds === CANNOT_TELL ? SAID_NOTHING : MEASURED;
        if (seconds !== CANNOT_TELL) this.#seconds[cell] = seconds === NO_WAY ? UNREACHABLE : seconds;
      }
    }
  }
}

interface Wanted {
  slots: readonly number[];
  /** Those among them to which somebody rides. */
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

/** Row by row into a larger square, for each vehicle. */
function widen<Cells extends Int32Array | Uint8Array>(before: Cells, side: number, after: Cells): Cells {
  const newSide = Math.sqrt(after.length / VEHICLES.length);
  for (let row = 0; row < VEHICLES.length * side; row++) {
    const to = (Math.floor(row / side) * newSide + (row % side)) * newSide;
    after.set(before.subarray(row * side, (row + 1) * side), to);
  }
  return after;
}
