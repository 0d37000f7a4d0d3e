// The text of a validation problem: what a valid value looks like, instead of the schema library's own message.
import type { z } from 'zod';
import { isJsonObject, readAt, type JsonValue } from '../../domain/canonical-json.ts';

const KINDS: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a JSON object',
  record: 'a JSON object',
  array: 'an array',
};

/** Describes an `issue` that zod reports for `body` to the integrator. */
export function describeExpectedValue(issue: z.core.$ZodIssue, body: JsonValue): string {
  const sent = readAt(body, issue.path);
  if (sent === undefined) return 'This field is required';
  if (sent === null) return `${expectation(issue)}, or omitted`;
  return describeSwap(issue, body) ?? expectation(issue);
}

/** Swapped coordinates are the most common mistake with coordinates. */
function describeSwap(issue: z.core.$ZodIssue, body: JsonValue): string | undefined {
  if (issue.path.at(-1) !== 'latitude' || (issue.code !== 'too_big' && issue.code !== 'too_small')) return undefined;
  const location = readAt(body, issue.path.slice(0, -1));
  if (!isJsonObject(location)) return undefined;
  const { latitude, longitude } = location;
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return undefined;
  if (Math.abs(latitude) > 180 || Math.abs(longitude) > 90) return undefined;
  return 'Must be between -90 and 90. Latitude and longitude look swapped';
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `Must be ${KINDS[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `Must be ${listOf(issue.values.map(String))}`;
  if (issue.code === 'too_small') return `Must be at least ${issue.minimum}`;
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  if (issue.code !== 'too_big') return issue.message;
  return issue.origin === 'array' ? `Must have at most ${issue.maximum} elements` : `Must be at most ${issue.maximum}`;
}

function listOf(values: string[]): string {
  return values.length === 1 ? `${values[0]}` : `one of ${values.join(', ')}`;
}
