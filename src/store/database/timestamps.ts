// Instants as PostgreSQL takes and gives them.
import type { Instant } from '../../domain/time.ts';

export function toInstant(date: Date | null): Instant | null {
  return date === null ? null : date.getTime();
}

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

// One commit writes the same instant many times over.
let lastInstant: Instant = 0;
let lastTimestamp = new Date(0).toISOString();

/** PostgreSQL's oldest day is in 4713 BC. */
const OLDEST_YEAR = -4711;

/**
 * As PostgreSQL reads it. ISO 8601 writes years before 1 and after 9999 in a form that it refuses, and people can send such
 * times wherever a request takes one.
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
