// Formats times for people. Times are always in the restaurant's zone, and the zone is shown.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../src/domain/time.ts';
import { timeTexts } from '../../texts/time.ts';

/** "4 min", "2 h 05 min", "3 d". */
export function formatDuration(durationMs: number): string {
  const length = Math.max(0, durationMs);
  if (length < MINUTE_MS) return timeTexts.seconds(Math.floor(length / SECOND_MS));
  if (length < HOUR_MS) return timeTexts.minutes(Math.floor(length / MINUTE_MS));
  if (length < DAY_MS) {
    return timeTexts.hours(Math.floor(length / HOUR_MS), Math.floor((length % HOUR_MS) / MINUTE_MS));
  }
  return timeTexts.days(Math.floor(length / DAY_MS));
}

export function formatRelative(at: number, now: number): string {
  if (Math.abs(now - at) < 5 * SECOND_MS) return timeTexts.now;
  return at > now ? timeTexts.in(formatDuration(at - now)) : timeTexts.ago(formatDuration(now - at));
}

export type TimeDetail = 'time' | 'seconds' | 'day' | 'date' | 'weekday' | 'minute' | 'dated' | 'full';

const OPTIONS: Record<TimeDetail, Intl.DateTimeFormatOptions> = {
  time: { hour: '2-digit', minute: '2-digit' },
  seconds: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  date: { day: 'numeric', month: 'short', year: 'numeric' },
  weekday: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  minute: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  dated: { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
  full: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' },
};

const formats = new Map<string, Intl.DateTimeFormat>();

export function formatZoned(at: number, timeZone: string, detail: TimeDetail = 'full'): string {
  const key = `${timeZone} ${detail}`;
  const format =
    formats.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...OPTIONS[detail], timeZone, hourCycle: 'h23' });
  formats.set(key, format);
  return format.format(at);
}

/** Beyond this, a time of day without its date is ambiguous. */
const NEAR_MS = 12 * HOUR_MS;

/** "18:40", with its date where the time alone is ambiguous. */
export function formatNear(at: number, timeZone: string, now: number): string {
  return formatZoned(at, timeZone, Math.abs(at - now) < NEAR_MS ? 'time' : 'dated');
}

const offsetFormats = new Map<string, Intl.DateTimeFormat>();

/** "GMT+3": short, and unambiguous unlike abbreviations. Without an offset it is "UTC", the usual name. */
export function zoneName(at: number, timeZone: string): string {
  const format =
    offsetFormats.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'shortOffset' });
  offsetFormats.set(timeZone, format);
  const name = format.formatToParts(at).find((part) => part.type === 'timeZoneName')?.value ?? timeZone;
  return name === 'GMT' || name === 'GMT+0' ? 'UTC' : name.replace('-', '−');
}
