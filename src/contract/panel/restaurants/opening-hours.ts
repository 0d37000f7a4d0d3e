// Opening hours as the panel and the command line send them.
import { z } from 'zod';
import { findOverlap, type OpeningHours } from '../../../domain/restaurants/opening-hours.ts';

const MAX_SPANS_PER_DAY = 10;
const MAX_EXCEPTIONS = 366;

const time = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'times must look like 09:30');
const spans = z
  .array(z.strictObject({ from: time, to: time }))
  .max(MAX_SPANS_PER_DAY)
  .superRefine((list, context) => {
    const index = findOverlap(list);
    if (index !== undefined) {
      context.addIssue({ code: 'custom', path: [index], message: 'this period overlaps another one on the same day' });
    }
  });

export const openingHoursSchema = z.strictObject({
  weekly: z.array(spans).length(7, 'weekly must contain seven lists, Monday first'),
  exceptions: z
    .array(z.strictObject({ date: z.iso.date(), spans }))
    .max(MAX_EXCEPTIONS)
    .refine((list) => new Set(list.map(({ date }) => date)).size === list.length, 'each date may appear only once')
    .default([]),
});

export type OpeningHoursReading = { ok: true; openingHours: OpeningHours } | { ok: false; message: string };

export function readOpeningHours(value: unknown): OpeningHoursReading {
  const reading = openingHoursSchema.safeParse(value);
  if (reading.success) return { ok: true, openingHours: reading.data };
  const [issue] = reading.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  return { ok: false, message: `The opening hours are not valid${where}: ${issue?.message ?? 'unknown error'}.` };
}
