// Instants and their form in a restaurant's time zone.
import { countOf } from './counts.ts';

/** Milliseconds since the epoch. */
export type Instant = number;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

// Zone offsets change only at quarter hours, so one lookup covers all events within a quarter of an hour.
const OFFSET_SPAN_MS = 15 * MINUTE_MS;
/** A formatter costs tens of kilobytes. There are about 600 zone names, and many more ways to write each. */
const MAX_ZONES = 1_000;

interface Zone {
  format: Intl.DateTimeFormat;
  span: number;
  offsetMinutes: number;
}

const zonesByName = new Map<string, Zone>();

/** `Europe/London` for `europe/london` and `GB`; undefined for an unknown time zone. Nothing is cached. */
export function findTimeZone(name: string): string | undefined {
  try {
    return nameOf(createFormat(name));
  } catch {
    return undefined;
  }
}

export function offsetMinutesAt(timeZone: string, at: Instant): number {
  const zone = zonesByName.get(timeZone) ?? addZone(timeZone);
  const span = Math.floor(at / OFFSET_SPAN_MS);
  if (zone.span === span) return zone.offsetMinutes;
  zone.offsetMinutes = lookUpOffset(zone.format, at);
  zone.span = span;
  return zone.offsetMinutes;
}

/** "17 minutes", "5 hours", "3 days": uses the smaller unit while its number is still easy to grasp. */
export function describeDuration(durationMs: number): string {
  // Negative when a clock was set back in between.
  const minutes = Math.max(0, Math.floor(durationMs / MINUTE_MS));
  if (minutes < 2 * 60) return countOf(minutes, 'minute');
  const hours = Math.floor(durationMs / HOUR_MS);
  return hours < 2 * 24 ? countOf(hours, 'hour') : countOf(Math.floor(durationMs / DAY_MS), 'day');
}

/** `2026-03-01T09:00:00.123Z`: RFC 3339 in UTC, for programs. */
export function formatUtc(at: Instant): string;
export function formatUtc(at: Instant | null): string | null;
export function formatUtc(at: Instant | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** `2026-03-01T12:00:00.123+03:00`: milliseconds and a numeric offset, never `Z`. */
export function formatWithOffset(at: Instant, timeZone: string): string {
  if (at !== lastFormatted.at || timeZone !== lastFormatted.timeZone) {
    lastFormatted = { at, timeZone, text: writeWithOffset(at, timeZone) };
  }
  return lastFormatted.text;
}

// Orders committed together have the same instant.
let lastFormatted = { at: Number.NaN, timeZone: '', text: '' };

function writeWithOffset(at: Instant, timeZone: string): string {
  const offset = offsetMinutesAt(timeZone, at);
  const local = new Date(at + offset * MINUTE_MS).toISOString().slice(0, 23);
  const size = Math.abs(offset);
  const hours = String(Math.floor(size / 60)).padStart(2, '0');
  const minutes = String(size % 60).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
}

/** All spellings of a name share one formatter. */
function addZone(timeZone: string): Zone {
  const format = createFormat(timeZone);
  const canonicalName = nameOf(format);
  const zone = zonesByName.get(canonicalName) ?? { format, span: Number.NaN, offsetMinutes: 0 };
  if (zonesByName.size >= MAX_ZONES) zonesByName.clear();
  zonesByName.set(canonicalName, zone).set(timeZone, zone);
  return zone;
}

function createFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
}

function nameOf(format: Intl.DateTimeFormat): string {
  return format.resolvedOptions().timeZone;
}

function lookUpOffset(format: Intl.DateTimeFormat, at: Instant): number {
  const name = format.formatToParts(at).find((part) => part.type === 'timeZoneName')?.value;
  const match = /^GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(name ?? '');
  if (match === null) throw new Error(`no offset for zone ${nameOf(format)}`);
  const [, sign, hours, minutes] = match;
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
