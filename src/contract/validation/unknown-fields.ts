// Lists the fields of a body that its schema doesn't know. They are stored, so nothing that an integrator sends is lost,
// and reported, so a misspelled field is noticed.
import { z } from 'zod';
import { fieldPath, type JsonValue } from '../../domain/canonical-json.ts';

/** The known fields at one level of a body. `null` where nothing below needs to be checked. */
export interface KnownFields {
  keys: Map<string, KnownFields | null>;
}

export function knownFieldsOf(schema: z.ZodObject): KnownFields {
  const shape: Record<string, z.core.$ZodType> = schema.shape;
  return { keys: new Map(Object.entries(shape).map(([key, field]) => [key, knownFieldsBelow(field)])) };
}

function knownFieldsBelow(schema: z.core.$ZodType): KnownFields | null {
  if (schema instanceof z.ZodOptional) return knownFieldsBelow(schema.unwrap());
  if (schema instanceof z.ZodPipe) return knownFieldsBelow(schema.out);
  if (schema instanceof z.ZodArray) return knownFieldsBelow(schema.element);
  return schema instanceof z.ZodObject ? knownFieldsOf(schema) : null;
}

const MAX_WARNINGS = 50;

export function warnOfUnknownFields(value: JsonValue, known: KnownFields): string[] {
  const warnings: string[] = [];
  collect({ value, known, path: [] }, warnings);
  return warnings;
}

interface Place {
  value: JsonValue;
  known: KnownFields;
  path: PropertyKey[];
}

function collect({ value, known, path }: Place, warnings: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      collect({ value: value[index] ?? null, known, path: [...path, index] }, warnings);
    }
    return;
  }
  for (const key of Object.keys(value)) {
    const inner = known.keys.get(key);
    if (inner === undefined) warn([...path, key], known, warnings);
    else if (inner !== null) collect({ value: value[key] ?? null, known: inner, path: [...path, key] }, warnings);
  }
}

function warn(path: PropertyKey[], known: KnownFields, warnings: string[]): void {
  if (warnings.length > MAX_WARNINGS) return;
  if (warnings.length === MAX_WARNINGS) {
    warnings.push('There are more unknown fields. All of them are stored with the order');
    return;
  }
  const close = findClose(String(path.at(-1)), [...known.keys.keys()]);
  const hint = close === undefined ? '' : `. Did you mean ${close}?`;
  warnings.push(`Unknown field ${fieldPath(path)} is stored with the order${hint}`);
}

/** A known key that differs only in case and punctuation, or by one letter. */
function findClose(key: string, known: string[]): string | undefined {
  if (key.length > 32) return undefined;
  const plain = simplify(key);
  return known.find((candidate) => simplify(candidate) === plain || differsByOneLetter(simplify(candidate), plain));
}

function simplify(key: string): string {
  return key.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function differsByOneLetter(a: string, b: string): boolean {
  // Short words are one letter apart by chance.
  if (Math.min(a.length, b.length) < 4 || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return Math.max(a.length, b.length) - start - end <= 1;
}
