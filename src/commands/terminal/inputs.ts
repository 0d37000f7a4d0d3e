// Types of option values. Each message continues after the option's name.
import { z } from 'zod';
import { HOUR_MS, MINUTE_MS, SECOND_MS, type Instant } from '../../domain/time.ts';

export const text = z.string().min(1, 'must not be empty');

export const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number);

export const decimalNumber = z
  .string()
  .regex(/^-?\d+(?:\.\d+)?$/, 'must be a number such as 41.0082')
  .transform(Number);

export const onOff = z.enum(['on', 'off'], 'must be on or off').transform((word) => word === 'on');

export const json = z.string().transform((given, context): unknown => {
  try {
    return JSON.parse(given);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be valid JSON' });
    return z.NEVER;
  }
});

const UNIT_MS: Record<string, number> = {
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: 24 * HOUR_MS,
  w: 7 * 24 * HOUR_MS,
};
/** A hundred years. */
const MAX_MS = 36_525 * 24 * HOUR_MS;

/** Undefined if the text is not a valid duration. */
function readDuration(given: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(given) ?? [];
  const durationMs = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  return durationMs <= MAX_MS ? durationMs : undefined;
}

/** `90d`, `12h`, or `never` as null. */
export const lifetime = z.string().transform((given, context): number | null => {
  if (given === 'never') return null;
  const lifetimeMs = readDuration(given);
  if (lifetimeMs !== undefined) return lifetimeMs;
  context.addIssue({ code: 'custom', message: 'must look like 90d, 12h, 30m or never' });
  return z.NEVER;
});

/** `2h` before now, or a time with its offset. */
export const pastTime = z.string().transform((given, context): ((now: Instant) => Instant) => {
  const agoMs = readDuration(given);
  if (agoMs !== undefined) return (now) => now - agoMs;
  const at = z.iso.datetime({ offset: true }).safeParse(given).success ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(at)) return () => at;
  context.addIssue({ code: 'custom', message: 'must look like 2h, 1d or 2026-03-01T12:00:00+03:00' });
  return z.NEVER;
});
