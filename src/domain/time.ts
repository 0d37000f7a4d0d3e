// Instants and how they look in a restaurant's time zone.

/** Milliseconds since the epoch. */
export type Instant = number;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

// Zones change their offset at quarter hours at the finest, so one look-up serves a quarter of an hour of events.
const OFFSET_SPAN_MS = 15 * MINUTE_MS;
const offsetsByZone = new Map<string, { span: number; offsetMinutes: number }>();
const formatsByZone = new Map<string, Intl.DateTimeFormat>();

export function isTimeZone(name: string): boolean {
  try {
    formatFor(name);
    return true;
  } catch {
    return false;
  }
}

export function offsetMinutesAt(timeZone: string, at: Instant): number {
  const span = Math.floor(at / OFFSET_SPAN_MS);
  const known = offsetsByZone.get(timeZone);
  if (known?.span === span) return known.offsetMinutes;
  const offsetMinutes = lookUpOffset(timeZone, at);
  offsetsByZone.set(timeZone, { span, offsetMinutes });
  return offsetMinutes;
}

/** `2026-03-01T12:00:00.123+03:00`: milliseconds and a numeric offset, never `Z`. */
export function formatWithOffset(at: Instant, timeZone: string): string {
  if (at !== lastFormatted.at || timeZone !== lastFormatted.timeZone) {
    lastFormatted = { at, timeZone, text: writeWithOffset(at, timeZone) };
  }
  return lastFormatted.text;
}

// Orders that are committed together share their instant.
let lastFormatted = { at: Number.NaN, timeZone: '', text: '' };

function writeWithOffset(at: Instant, timeZone: string): string {
  const offset = offsetMinutesAt(timeZone, at);
  const local = new Date(at + offset * MINUTE_MS).toISOString().slice(0, 23);
  const size = Math.abs(offset);
  const hours = String(Math.floor(size / 60)).padStart(2, '0');
  const minutes = String(size % 60).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  let format = formatsByZone.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    formatsByZone.set(timeZone, format);
  }
  return format;
}

function lookUpOffset(timeZone: string, at: Instant): number {
  const name = formatFor(timeZone)
    .formatToParts(at)
    .find((part) => part.type === 'timeZoneName')?.value;
  const match = /^GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(name ?? '');
  if (match === null) throw new Error(`no offset for zone ${timeZone}`);
  const [, sign, hours, minutes] = match;
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
