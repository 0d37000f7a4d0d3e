// Validates a restaurant's settings, for adding and changing.
import { z } from 'zod';
import { isBlank } from '../../domain/blank-text.ts';
import type { FieldProblem } from '../../domain/refusals.ts';
import { findTimeZone } from '../../domain/time.ts';
import type { RestaurantProfile } from '../../store/restaurants/restaurants.ts';

export type RestaurantSettings = Omit<
  RestaurantProfile,
  'id' | 'providerRestaurantId' | 'integrationEnabled' | 'createdAt'
>;

export const DEFAULT_SETTINGS: Omit<RestaurantSettings, 'name'> = {
  timeZone: 'UTC',
  address: null,
  latitude: null,
  longitude: null,
  contactEmail: null,
  phone: null,
  autoApprove: false,
  rateLimitPerMinute: 300,
  preparationMinutes: 15,
  courierWaitLimitMinutes: 60,
  approvalLimitMinutes: null,
  openingHours: null,
  deliveryMetadata: false,
};

const MINUTES_A_WEEK = 7 * 24 * 60;

/** Settings as they are stored: a time zone by its canonical name. */
export function normalizeSettings<Settings extends Partial<RestaurantSettings>>(settings: Settings): Settings {
  const { timeZone } = settings;
  return timeZone === undefined ? settings : { ...settings, timeZone: findTimeZone(timeZone) ?? timeZone };
}

/** The first mistake; undefined if there is none. */
export function findSettingsMistake(settings: RestaurantSettings): FieldProblem | undefined {
  const limits: [field: string, value: number | null, least: number][] = [
    ['preparationMinutes', settings.preparationMinutes, 0],
    ['courierWaitLimitMinutes', settings.courierWaitLimitMinutes, 1],
    ['approvalLimitMinutes', settings.approvalLimitMinutes, 1],
  ];
  const wrongLimit = limits.find(([, value, least]) => value !== null && !isWhole(value, least, MINUTES_A_WEEK));
  if (wrongLimit !== undefined) {
    const [field, , least] = wrongLimit;
    return { field, message: `Must be a whole number of minutes from ${least} to ${MINUTES_A_WEEK}` };
  }
  const labels: [field: string, value: string | null, maxCharacters: number][] = [
    ['name', settings.name, 200],
    ['address', settings.address, 300],
    ['phone', settings.phone, 40],
  ];
  const wrongLabel = labels.find(([, value, max]) => value !== null && !isLabel(value, max));
  if (wrongLabel !== undefined) return { field: wrongLabel[0], message: describeLabel(wrongLabel[2]) };
  if (findTimeZone(settings.timeZone) === undefined) {
    return { field: 'timeZone', message: 'Must be an IANA time zone, such as Europe/Istanbul' };
  }
  if (settings.contactEmail !== null && !isEmail(settings.contactEmail)) {
    return { field: 'contactEmail', message: INVALID_EMAIL };
  }
  if (!isWhole(settings.rateLimitPerMinute, 1, 1_000_000)) {
    return { field: 'rateLimitPerMinute', message: 'Must be a whole number from 1 to 1000000 requests per minute' };
  }
  return findPlaceMistake(settings.latitude, settings.longitude);
}

export function findPlaceMistake(latitude: number | null, longitude: number | null): FieldProblem | undefined {
  if (latitude === null && longitude !== null)
    return { field: 'latitude', message: 'Must be set together with longitude' };
  if (latitude !== null && longitude === null)
    return { field: 'longitude', message: 'Must be set together with latitude' };
  if (latitude !== null && !(Math.abs(latitude) <= 90)) return { field: 'latitude', message: 'Must be from -90 to 90' };
  if (longitude !== null && !(Math.abs(longitude) <= 180)) {
    return { field: 'longitude', message: 'Must be from -180 to 180' };
  }
  return undefined;
}

export const INVALID_EMAIL = 'Must be a valid email address';
export const UNKNOWN_RESTAURANT: FieldProblem = { field: 'restaurantId', message: 'Must be an existing restaurant' };

export function describeLabel(maxCharacters: number): string {
  return `Must be 1 to ${maxCharacters} characters without control characters`;
}

/** Text that fits on one line: something visible, no control characters, no unpaired surrogates. */
export function isLabel(text: string, maxCharacters: number): boolean {
  return !isBlank(text) && text.length <= maxCharacters && !/\p{Cc}/u.test(text) && text.isWellFormed();
}

export function isEmail(text: string): boolean {
  return text.length <= 254 && z.email().safeParse(text).success;
}

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
