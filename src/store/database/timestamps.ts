// Writes instants in PostgreSQL's format; rows.ts reads them.
import type { Instant } from '../../domain/time.ts';

export function toTimestamp(at: Instant): string;
export function toTimestamp(at: Instant | null): string | null;
export function toTimestamp(at: Instant | null): string | null {
  if (at === null) return null;
  if (at !== lastInstant) {
    lastInstant = at;
    lastTimestamp = formatTimestamp(at);
  }
  return lastTimestamp;
}

// Caches the last conversion: one commit writes the same instant many times.
let lastInstant: Instant = 0;
let lastTimestamp = new Date(0).toISOString();

/** PostgreSQL's earliest date is in 4713 BC. */
const OLDEST_YEAR = -4711;

/**
 * The format that PostgreSQL reads. ISO 8601 writes years before 1 and after 9999 in a form that it rejects, and any
 * request that takes a time can contain one.
 */
function formatTimestamp(at: Instant): string {
  const date = new Date(at);
  const text = date.toISOString();
  const year = date.getUTCFullYear();
  if (year >= 1 && year <= 9_999) return text;
  if (year < OLDEST_YEAR) return '-infinity';
  const rest = text.slice(text.indexOf('-', 1));
  return year > 9_999 ? `${year}${rest}` : `${String(1 - year).padStart(4, '0')}${rest} BC`;
}
