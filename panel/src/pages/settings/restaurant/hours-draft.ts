// Opening hours while they are being edited. Pure.
import {
  findOverlap,
  type OpeningHours,
  type OpeningSpan,
} from '../../../../../src/domain/restaurants/opening-hours.ts';

export interface HoursDraft {
  isAlways: boolean;
  /** Seven days, Monday first. */
  weekly: readonly (readonly OpeningSpan[])[];
  exceptions: readonly { date: string; spans: readonly OpeningSpan[] }[];
}

const USUAL: OpeningSpan = { from: '11:00', to: '22:00' };
const DAYS_A_WEEK = 7;
/** The service's limit. */
export const MAX_SPANS = 10;

/** A restaurant that is always open starts from usual hours when it turns on closing times. */
export function toDraft(hours: OpeningHours | null): HoursDraft {
  if (hours !== null) return { isAlways: false, ...hours };
  return { isAlways: true, weekly: Array.from({ length: DAYS_A_WEEK }, () => [USUAL]), exceptions: [] };
}

/** Builds the request, with sorted hours. */
export function fromDraft({ isAlways, weekly, exceptions }: HoursDraft) {
  if (isAlways) return null;
  return {
    weekly: weekly.map(sort),
    exceptions: exceptions
      .map(({ date, spans }) => ({ date, spans: sort(spans) }))
      .toSorted((a, b) => a.date.localeCompare(b.date)),
  };
}

function sort(spans: readonly OpeningSpan[]): OpeningSpan[] {
  return spans.toSorted((a, b) => a.from.localeCompare(b.from));
}

export function replaceDay(draft: HoursDraft, day: number, spans: readonly OpeningSpan[]): HoursDraft {
  return { ...draft, weekly: draft.weekly.map((old, index) => (index === day ? spans : old)) };
}

const COPY_TO = {
  all: [0, 1, 2, 3, 4, 5, 6],
  weekdays: [0, 1, 2, 3, 4],
  weekend: [5, 6],
} as const;

export function copyDay(draft: HoursDraft, day: number, to: keyof typeof COPY_TO): HoursDraft {
  const days: readonly number[] = COPY_TO[to];
  const spans = draft.weekly[day] ?? [];
  return { ...draft, weekly: draft.weekly.map((old, index) => (days.includes(index) ? spans : old)) };
}

/** Adds an hour that starts one hour after the last span; usual hours for a day without any. */
export function addSpan(spans: readonly OpeningSpan[]): OpeningSpan[] {
  const last = spans.at(-1);
  if (last === undefined) return [USUAL];
  const start = Math.min(Number(last.to.slice(0, 2)) + 1, 22);
  return [...spans, { from: hour(start), to: hour(start + 1) }];
}

function hour(number: number): string {
  return `${String(number).padStart(2, '0')}:00`;
}

export function endsNextDay({ from, to }: OpeningSpan): boolean {
  return from !== '' && to !== '' && to <= from;
}

export type SpansProblem = 'incomplete' | 'overlap';

export function findSpansProblem(spans: readonly OpeningSpan[]): SpansProblem | undefined {
  if (spans.some(({ from, to }) => from === '' || to === '')) return 'incomplete';
  return findOverlap(spans) === undefined ? undefined : 'overlap';
}

export function isSound({ isAlways, weekly, exceptions }: HoursDraft): boolean {
  if (isAlways) return true;
  return [...weekly, ...exceptions.map(({ spans }) => spans)].every((spans) => findSpansProblem(spans) === undefined);
}
