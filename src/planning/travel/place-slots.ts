// Gives each place a number and keeps it for as long as there is room, so that what is known of its rides stays where it
// is from one plan to the next. Places of which nothing was heard for longest give up theirs first.
import type { Place } from '../../domain/geo.ts';

/** Up to here it grows before any place has to go. */
const USUAL_SIDE = 2_048;
const FIRST_SIDE = 64;

export class PlaceSlots {
  readonly #places: Place[] = [];
  /** By latitude, then by longitude: writing a key as text would take longer than everything else here. */
  readonly #slots = new Map<number, Map<number, number>>();
  /** By slot: the look-up that used it last, and how many places it has had. */
  readonly #usedIn: number[] = [];
  readonly #tenancies: number[] = [];
  #lookUps = 0;
  #side = 0;

  /** How many slots there are, taken or not. */
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

  /** The slots of the places, and those among them that hold a place that was not there before. */
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

  /** Grows if it must; gives slots that may be taken from others, the one to take first last. */
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
