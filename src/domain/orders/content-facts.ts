// The content fields that Waybill acts on, as typed values. Content is read once, when the order arrives; planner,
// maps, boards and robots use these facts and never read the content itself. Otherwise one spelling of a number that
// JSON allows and another reader rejects (`15.0`, `1e-400`, an offset of 23 hours) would stop them all.
import { isJsonObject, type JsonObject, type JsonValue } from '../canonical-json.ts';
import { VEHICLES, type Vehicle } from '../couriers/courier.ts';
import { toPlace, type Place } from '../geo.ts';
import type { Instant } from '../time.ts';

export interface ContentFacts {
  displayId: string | null;
  /** Null means the restaurant's location. */
  pickup: Place | null;
  dropoff: Place | null;
  prepMinutes: number | null;
  readyAt: Instant | null;
  windowStart: Instant | null;
  windowEnd: Instant | null;
  maxDeliveryMinutes: number | null;
  bags: number;
  /** Empty means any vehicle. */
  vehicles: readonly Vehicle[];
  canCombine: boolean;
  customer: string | null;
  phone: string | null;
  /** Every phone number of the order, digits only, separated by spaces, for searching. */
  phoneDigits: string;
  /** Street and number, or the whole address as one text. */
  destination: string | null;
  itemCount: number;
  /** In minor units. */
  total: number | null;
  toCollect: number | null;
  currency: string | null;
  /** The `test` field as sent; null if there is none. */
  script: JsonValue;
}

/** An order without any content beyond its ids. */
export const NO_FACTS: ContentFacts = {
  displayId: null,
  pickup: null,
  dropoff: null,
  prepMinutes: null,
  readyAt: null,
  windowStart: null,
  windowEnd: null,
  maxDeliveryMinutes: null,
  bags: 1,
  vehicles: [],
  canCombine: true,
  customer: null,
  phone: null,
  phoneDigits: '',
  destination: null,
  itemCount: 0,
  total: null,
  toCollect: null,
  currency: null,
  script: null,
};

/** Never throws: content from earlier versions may hold anything; fields that cannot be read count as absent. */
export function readContentFacts(content: JsonValue): ContentFacts {
  const order = objectOf(content);
  const [dropoff, customer] = [objectOf(order['dropoff']), objectOf(order['customer'])];
  const [timing, requirements] = [objectOf(order['timing']), objectOf(order['requirements'])];
  const [address, payment] = [objectOf(dropoff['address']), objectOf(order['payment'])];
  const window = objectOf(timing['dropoffWindow']);
  const phones = [textOf(customer['phone']), textOf(dropoff['phone'])].filter((phone) => phone !== null);
  return {
    displayId: textOf(order['displayId']),
    pickup: placeOf(objectOf(order['pickup'])['location']),
    dropoff: placeOf(dropoff['location']),
    prepMinutes: wholeOf(timing['prepMinutes']),
    readyAt: instantOf(timing['readyAt']),
    windowStart: instantOf(window['start']),
    windowEnd: instantOf(window['end']),
    maxDeliveryMinutes: wholeOf(timing['maxDeliveryMinutes']),
    bags: wholeOf(objectOf(order['package'])['count']) ?? NO_FACTS.bags,
    vehicles: vehiclesOf(requirements['vehicle']),
    canCombine: requirements['canCombine'] !== false,
    customer: textOf(customer['name']),
    phone: phones[0] ?? null,
    phoneDigits: digitsOf(phones),
    destination: textOf(address['line1']) || textOf(address['formatted']),
    itemCount: Array.isArray(order['items']) ? order['items'].length : 0,
    total: wholeOf(objectOf(order['totals'])['total']),
    toCollect: wholeOf(payment['amountToCollect']),
    currency: textOf(order['currency']),
    script: order['test'] ?? null,
  };
}

type Given = JsonValue | undefined;

const NOTHING: JsonObject = {};

function objectOf(value: Given): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : NOTHING;
}

function textOf(value: Given): string | null {
  return typeof value === 'string' ? value : null;
}

/** Converts minus zero, which JSON can express, to zero. */
function wholeOf(value: Given): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value + 0 : null;
}

function digitsOf(phones: readonly string[]): string {
  const numbers = phones.map((phone) => phone.replaceAll(/\D+/g, ''));
  return numbers.length < 2 || numbers[0] === numbers[1] ? (numbers[0] ?? '') : numbers.join(' ');
}

function instantOf(value: Given): Instant | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

function vehiclesOf(value: Given): readonly Vehicle[] {
  if (!Array.isArray(value) || value.length === 0) return NO_FACTS.vehicles;
  return VEHICLES.filter((vehicle) => value.includes(vehicle));
}

function placeOf(value: Given): Place | null {
  const { latitude, longitude } = objectOf(value);
  if (!isWithin(latitude, 90) || !isWithin(longitude, 180)) return null;
  return toPlace(latitude + 0, longitude + 0);
}

function isWithin(value: Given, limit: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= limit;
}

/** Throws if stored facts are invalid. Readers then set the order aside. */
export function checkContentFacts(stored: JsonValue): ContentFacts {
  if (!isJsonObject(stored)) throw new Error('The facts of the order are not an object');
  for (const name of Object.keys(stored)) {
    const isRight = CHECKS[name];
    // Ignores facts added by a later version.
    if (isRight !== undefined && !isRight(stored[name])) throw new Error(`The order's ${name} is unreadable`);
  }
  return {
    ...NO_FACTS,
    ...stored,
    pickup: storedPlaceOf(stored['pickup']),
    dropoff: storedPlaceOf(stored['dropoff']),
    phone: textOf(stored['phone']) ?? plainPhoneOf(textOf(stored['phoneDigits'])),
  };
}

function storedPlaceOf(value: Given): Place | null {
  return Array.isArray(value) ? placeOf({ latitude: value[0] ?? null, longitude: value[1] ?? null }) : null;
}

function plainPhoneOf(digits: string | null): string | null {
  return digits === null ? null : `+${digits}`;
}

const isText = (value: Given): boolean => typeof value === 'string';
const isWhole = (value: Given): boolean => wholeOf(value) !== null;
const isInstant = (value: Given): boolean => typeof value === 'number' && !Number.isNaN(new Date(value).getTime());
const isPlace = (value: Given): boolean => storedPlaceOf(value) !== null;

const CHECKS: Record<string, (value: Given) => boolean> = {
  displayId: isText,
  pickup: isPlace,
  dropoff: isPlace,
  prepMinutes: isWhole,
  readyAt: isInstant,
  windowStart: isInstant,
  windowEnd: isInstant,
  maxDeliveryMinutes: isWhole,
  bags: isWhole,
  vehicles: (value) => Array.isArray(value) && vehiclesOf(value).length === value.length,
  canCombine: (value) => typeof value === 'boolean',
  customer: isText,
  phone: isText,
  phoneDigits: isText,
  destination: isText,
  itemCount: isWhole,
  total: isWhole,
  toCollect: isWhole,
  currency: isText,
  script: () => true,
} satisfies Record<keyof ContentFacts, (value: Given) => boolean>;

/**
 * The stored form, kept short because every page of orders holds it: fields that the order does not specify are omitted,
 * as `NO_FACTS` has them; a place is `[latitude, longitude]`; a phone number that is `+` and digits is its digits alone.
 */
export function writeContentFacts(facts: ContentFacts): string {
  // One literal, because an object that grows field by field costs twice as much, and every order passes here.
  const stored: Record<keyof ContentFacts, unknown> = {
    displayId: facts.displayId ?? undefined,
    pickup: facts.pickup === null ? undefined : [facts.pickup.latitude, facts.pickup.longitude],
    dropoff: facts.dropoff === null ? undefined : [facts.dropoff.latitude, facts.dropoff.longitude],
    prepMinutes: facts.prepMinutes ?? undefined,
    readyAt: facts.readyAt ?? undefined,
    windowStart: facts.windowStart ?? undefined,
    windowEnd: facts.windowEnd ?? undefined,
    maxDeliveryMinutes: facts.maxDeliveryMinutes ?? undefined,
    bags: facts.bags === NO_FACTS.bags ? undefined : facts.bags,
    vehicles: facts.vehicles.length === 0 ? undefined : facts.vehicles,
    canCombine: facts.canCombine ? undefined : false,
    customer: facts.customer ?? undefined,
    phone:
      facts.phone === plainPhoneOf(facts.phoneDigits) && facts.phoneDigits !== ''
        ? undefined
        : (facts.phone ?? undefined),
    phoneDigits: facts.phoneDigits || undefined,
    destination: facts.destination ?? undefined,
    itemCount: facts.itemCount || undefined,
    total: facts.total ?? undefined,
    toCollect: facts.toCollect ?? undefined,
    currency: facts.currency ?? undefined,
    script: facts.script ?? undefined,
  };
  return JSON.stringify(stored);
}
