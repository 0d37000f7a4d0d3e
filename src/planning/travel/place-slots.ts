// Gives each place a slot number that stays the same between plans, so that its travel times stay where they are. When
// there is no room left, the places that have been unused for longest lose theirs first.
import type { Place } from '../../domain/geo.ts';

/** Grows up to this size before any place is evicted. */
const USUAL_SIDE = 2_048;
const FIRST_SIDE = 64;

export class PlaceSlots {
  readonly #places: Place[] = [];
  /** By latitude, then by longitude: formatting a string key would take longer than everything else here. */
  readonly #slots = new Map<number, Map<number, number>>();
  /** By slot: the last lookup that used it, and how many places it has held. */
  readonly #usedIn: number[] = [];
  readonly #tenancies: number[] = [];
  #lookUps = 0;
  #side = 0;

  /** How many slots there are, used or not. */
  get side(): number {
    return this.#side;
  }

  get count(): number {
    return this.#places.length;
  }

  placeOf(slot: number): Place {
    const place = this.#places[slot];
    if (place === undefined) throw new Error(`slot ${slot} is empty`);
    return place;
  }

  /** Changes when the slot is given to another place. */
  tenancyOf(slot: number): number {
    return this.#tenancies[slot] ?? 0;
  }

  /** The slots of the places, and which of those slots hold a new place. */
  take(places: readonly Place[]): { slots: Int32Array; fresh: number[] } {
    this.#lookUps += 1;
    const slots = new Int32Array(places.length);
    const strangers = new Map<string, { place: Place; indexes: number[] }>();
    for (const [index, place] of places.entries()) {
      const slot = this.#slots.get(place.latitude)?.get(place.longitude);
      if (slot !== undefined) {
        slots[index] = slot;
        this.#usedIn[slot] = this.#lookUps;
      } else {
        const key = `${place.latitude},${place.longitude}`;
        const stranger = strangers.get(key) ?? { place, indexes: [] };
        stranger.indexes.push(index);
        strangers.set(key, stranger);
      }
    }
    const fresh: number[] = [];
    const free = this.#listFree(strangers.size);
    for (const { place, indexes } of strangers.values()) {
      const slot = free.pop() ?? this.#places.length;
      this.#settle(slot, place);
      fresh.push(slot);
      for (const index of indexes) slots[index] = slot;
    }
    return { slots, fresh };
  }

  /** Grows if needed. Returns slots that may be reused, longest unused last. */
  #listFree(wanted: number): number[] {
    const needed = this.#places.length + wanted;
    if (needed <= this.#side) return [];
    const idle = this.#side < USUAL_SIDE ? [] : this.#listIdle();
    while (this.#side < needed - idle.length) this.#side = Math.max(FIRST_SIDE, 2 * this.#side);
    return idle;
  }

  #listIdle(): number[] {
    return [...this.#usedIn.keys()]
      .filter((slot) => this.#usedIn[slot] !== this.#lookUps)
      .toSorted((one, other) => (this.#usedIn[other] ?? 0) - (this.#usedIn[one] ?? 0));
  }

  #settle(slot: number, place: Place): void {
    this.#forget(this.#places[slot]);
    const sameLatitude = this.#slots.get(place.latitude) ?? new Map<number, number>();
    sameLatitude.set(place.longitude, slot);
    this.#slots.set(place.latitude, sameLatitude);
    this.#places[slot] = place;
    this.#usedIn[slot] = this.#lookUps;
    this.#tenancies[slot] = this.tenancyOf(slot) + 1;
  }

  #forget(place: Place | undefined): void {
    const sameLatitude = place && this.#slots.get(place.latitude);
    if (place === undefined || sameLatitude === undefined) return;
    sameLatitude.delete(place.longitude);
    if (sameLatitude.size === 0) this.#slots.delete(place.latitude);
  }
}
