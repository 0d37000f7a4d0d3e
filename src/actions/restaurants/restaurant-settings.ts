// Validates a restaurant's settings, for adding and changing.
import { z } from 'zod';
import { isBlank } from '../../domain/blank-text.ts';
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

/** Describes the first mistake in one sentence; undefined if there is none. */
export function findSettingsMistake(settings: RestaurantSettings): string | undefined {
  const { latitude, longitude } = settings;
  const limits: [what: string, value: number | null, least: number][] = [
    ['The preparation time', settings.preparationMinutes, 0],
    ['The courier wait limit', settings.courierWaitLimitMinutes, 1],
    ['The approval limit', settings.approvalLimitMinutes, 1],
  ];
  const wrongLimit = limits.find(([, value, least]) => value !== null && !isWhole(value, least, MINUTES_A_WEEK));
  if (wrongLimit !== undefined) {
    return `${wrongLimit[0]} must be a whole number of minutes from ${wrongLimit[2]} to ${MINUTES_A_WEEK}.`;
  }
  if (!isLabel(settings.name, 200)) return 'The name must be 1 to 200 characters without control characters.';
  if (findTimeZone(settings.timeZone) === undefined) {
    return `${JSON.stringify(settings.timeZone)} is not a time zone. Use an IANA name, such as Europe/Istanbul.`;
  }
  if (settings.address !== null && !isLabel(settings.address, 300)) {
    return 'The address must be 1 to 300 characters without control characters.';
  }
  if (settings.contactEmail !== null && !isEmail(settings.contactEmail)) {
    return `${JSON.stringify(settings.contactEmail)} is not a valid email address.`;
  }
  if (settings.phone !== null && !isLabel(settings.phone, 40)) {
    return 'The phone number must be 1 to 40 characters without control characters.';
  }
  if (!isWhole(settings.rateLimitPerMinute, 1, 1_000_000)) {
    return 'The rate limit must be a whole number from 1 to 1000000 requests per minute.';
  }
  return findPlaceMistake(latitude, longitude);
}

export function findPlaceMistake(latitude: number | null, longitude: number | null): string | undefined {
  if ((latitude === null) !== (longitude === null)) return 'Latitude and longitude must be set together.';
  if (latitude !== null && !(Math.abs(latitude) <= 90)) return 'The latitude must be from -90 to 90.';
  if (longitude !== null && !(Math.abs(longitude) <= 180)) return 'The longitude must be from -180 to 180.';
  return undefined;
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
