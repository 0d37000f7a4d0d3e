// Converts values of datetime-local inputs, using the restaurant's zone rather than the browser's.
import { formatUtc, MINUTE_MS, offsetMinutesAt, type Instant } from '../../../src/domain/time.ts';

/** Null for invalid input. */
export function readZonedInput(text: string, timeZone: string): Instant | null {
  const asUtc = Date.parse(`${text}Z`);
  if (Number.isNaN(asUtc)) return null;
  // A first guess gives an instant close enough to look up its offset, except right at a change of offset.
  const guess = asUtc - offsetMinutesAt(timeZone, asUtc) * MINUTE_MS;
  return asUtc - offsetMinutesAt(timeZone, guess) * MINUTE_MS;
}

export function writeZonedInput(at: Instant, timeZone: string): string {
  return formatUtc(at + offsetMinutesAt(timeZone, at) * MINUTE_MS).slice(0, 16);
}

/** RFC 3339, as the service expects. */
export function toQueryTime(text: string | undefined, timeZone: string): string | undefined {
  const at = text === undefined || text === '' ? null : readZonedInput(text, timeZone);
  return at === null ? undefined : formatUtc(at);
}
