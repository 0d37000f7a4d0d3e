// When a restaurant takes orders, in local time.
import { DAY_MS, formatUtc, MINUTE_MS, offsetMinutesAt, type Instant } from '../time.ts';

/** Local times `HH:MM`; `to` at or before `from` runs past midnight into the next day. */
export interface OpeningSpan {
  from: string;
  to: string;
}

export interface OpeningHours {
  /** Seven days, Monday first. */
  weekly: readonly (readonly OpeningSpan[])[];
  /** Replaces the weekly hours of one local date (`2026-12-25`). */
  exceptions: readonly { date: string; spans: readonly OpeningSpan[] }[];
}

export function isOpenAt(hours: OpeningHours, timeZone: string, at: Instant): boolean {
  // "Local" is the local wall clock expressed as a UTC time, so that simple arithmetic gives day and minute.
  const local = at + offsetMinutesAt(timeZone, at) * MINUTE_MS;
  const minute = Math.floor((local % DAY_MS) / MINUTE_MS);
  const today = spansOn(hours, local);
  const yesterday = spansOn(hours, local - DAY_MS);
  return (
    today.some((span) => {
      const [from, to] = boundsOf(span);
      return minute >= from && minute < (to <= from ? 24 * 60 : to);
    }) ||
    yesterday.some((span) => {
      const [from, to] = boundsOf(span);
      return to <= from && minute < to;
    })
  );
}

function spansOn(hours: OpeningHours, local: number): readonly OpeningSpan[] {
  const day = new Date(local);
  const date = formatUtc(local).slice(0, 10);
  const exception = hours.exceptions.find((candidate) => candidate.date === date);
  return exception?.spans ?? hours.weekly[(day.getUTCDay() + 6) % 7] ?? [];
}

function boundsOf(span: OpeningSpan): [from: number, to: number] {
  return [minuteOf(span.from), minuteOf(span.to)];
}

function minuteOf(time: string): number {
  const [hours, minutes] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

/** Index of the first span that overlaps an earlier one of the same day, if any. */
export function findOverlap(spans: readonly OpeningSpan[]): number | undefined {
  const bounds = spans.map((span) => {
    const [from, to] = boundsOf(span);
    return [from, to <= from ? 24 * 60 : to] as const;
  });
  const index = bounds.findIndex(([from, to], position) =>
    bounds.slice(0, position).some(([otherFrom, otherTo]) => from < otherTo && otherFrom < to),
  );
  return index === -1 ? undefined : index;
}
