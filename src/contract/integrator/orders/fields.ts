// The field types of an order. Each has a description and constraints for JSON Schema; its error says what a valid value
// looks like. Values are never coerced, trimmed or filled in.
import { z } from 'zod';
import { isBlank } from '../../../domain/blank-text.ts';

/** Free text. Lengths count code points, so an emoji is one character. */
export function text(maxLength: number, description: string) {
  return z
    .string()
    .refine((value) => hasAtMost(value, maxLength), { error: `Must be at most ${maxLength} characters` })
    .meta({ maxLength, description });
}

/** An id is compared as sent, without trimming or case folding. Control characters in it can only be a mistake. */
export function id(maxLength: number, description: string) {
  // The pattern is limited to what every regular expression dialect supports; the code also refuses ids of zero-width
  // characters only.
  return z
    .string()
    .refine((value) => value !== '' && hasAtMost(value, maxLength), { error: `Must be 1 to ${maxLength} characters` })
    .refine((value) => !/\p{Cc}/u.test(value), { error: 'Must not contain control characters' })
    .refine((value) => value === '' || !isBlank(value), { error: 'Must contain at least one visible character' })
    .meta({ minLength: 1, maxLength, pattern: '\\S', description });
}

// Counting is needed only in between: no string has more characters than code units, nor fewer than half as many.
function hasAtMost(value: string, maxLength: number): boolean {
  if (value.length <= maxLength) return true;
  if (value.length > 2 * maxLength) return false;
  let count = 0;
  for (const _ of value) count++;
  return count <= maxLength;
}

export function integer(range: { min: number; max: number }, description: string) {
  return z.int().min(range.min).max(range.max).describe(description);
}

export function flag(description: string) {
  return z.boolean().describe(description);
}

export function oneOf<const T extends readonly [string, ...string[]]>(values: T, description: string) {
  return z.enum(values).describe(description);
}

export function money(description: string) {
  return z.int().min(0).describe(`${description}. Minor units of \`currency\``);
}

/** The length is checked before the elements: a body full of invalid ones must not cost more than a valid one. */
export function list<T extends z.ZodType>(element: T, maxItems: number, description: string) {
  const short = z.array(z.unknown()).max(maxItems);
  return short.pipe(z.array(element)).meta({ maxItems, description });
}

/** The integrator's own names and values. `__proto__` is refused, because many JSON readers act on it. */
export function pairs(maxPairs: number, description: string) {
  return z
    .unknown()
    .refine((value) => countNames(value) <= maxPairs, { error: `Must have at most ${maxPairs} pairs` })
    .refine((value) => !isRecord(value) || !Object.hasOwn(value, '__proto__'), {
      error: 'Must not contain the name __proto__',
    })
    .pipe(z.record(text(64, 'A name'), text(1000, 'A value')))
    .meta({ maxProperties: maxPairs, description });
}

function countNames(value: unknown): number {
  return isRecord(value) ? Object.keys(value).length : 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Phone numbers are written in many ways; any with enough digits can be called. */
export function phone(description: string) {
  return z
    .string()
    .refine((value) => hasAtMost(value, 40) && /\d\D*\d\D*\d/.test(value), {
      error: 'Must be a phone number of at most 40 characters with at least 3 digits, preferably like +441632960123',
    })
    .meta({ maxLength: 40, description, examples: ['+441632960123'] });
}

export const email = z
  .string()
  .refine((value) => value.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(value), { error: 'Must be an email address' })
  .meta({ maxLength: 254, description: 'Email address' });

export const locale = z
  .string()
  .refine((value) => value.length <= 35 && /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(value), {
    error: 'Must be a BCP 47 language tag, such as en-GB',
  })
  .meta({ maxLength: 35, description: 'Language of the customer (BCP 47)', examples: ['en-GB'] });

export const country = z
  .string()
  .refine((value) => /^[A-Z]{2}$/.test(value), {
    error: 'Must be a two-letter ISO 3166-1 code in uppercase, such as GB',
  })
  .meta({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2 code', examples: ['GB'] });

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

export const currency = z
  .string()
  .refine((value) => CURRENCIES.has(value), { error: 'Must be an ISO 4217 code in uppercase, such as EUR' })
  .meta({
    pattern: '^[A-Z]{3}$',
    description: 'ISO 4217 code for all amounts in the order; required if the order contains an amount',
    examples: ['EUR'],
  });

export function instant(description: string) {
  return z
    .string()
    .refine(isInstant, { error: 'Must be a valid RFC 3339 time with an offset, such as 2026-03-01T12:30:00+03:00' })
    .meta({ format: 'date-time', description, examples: ['2026-03-01T12:30:00+03:00'] });
}

const INSTANT =
  /^(?<year>20\d\d)-(?<month>0[1-9]|1[0-2])-(?<day>0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

// Years outside this century are always a unit mistake, and PostgreSQL can't store some of them.
function isInstant(value: string): boolean {
  const match = INSTANT.exec(value);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return day <= 28 || day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
