import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostileBodies } from '../../../test/hostile/bodies.ts';
import * as examples from '../integrator/orders/examples.ts';
import { orderSchema } from '../integrator/orders/schema.ts';
import { compileQuickCheck } from './quick-check.ts';
import { knownFieldsOf, warnOfUnknownFields } from './unknown-fields.ts';
import type { JsonValue } from '../../domain/canonical-json.ts';

const isSurelyRight = compileQuickCheck(orderSchema, 'right');
const isSurelyPlain = compileQuickCheck(orderSchema, 'ask');
const KNOWN_FIELDS = knownFieldsOf(orderSchema);
const RIGHT: unknown[] = Object.values(examples).filter((value) => orderSchema.safeParse(value).success);

test('it accepts the common orders that it is meant to speed up', () => {
  expect(RIGHT.length).toBeGreaterThan(2);
  for (const order of RIGHT) expect(isSurelyRight(order)).toBe(true);
});

test('it never accepts hostile bodies that the schema rejects', () => {
  const values = hostileBodies('r').flatMap(({ body }) => {
    try {
      return [JSON.parse(body.toString()) as unknown];
    } catch {
      return [];
    }
  });
  expect(values.length).toBeGreaterThan(100);
  for (const value of values) if (isSurelyRight(value)) expect(orderSchema.safeParse(value).success).toBe(true);
});

/** The path of every value inside a value. */
function placesIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, member]) => placesIn(member, [...path, key]))];
}

function withChange(value: unknown, path: readonly string[], replacement: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = withChange(copy[key], rest, replacement);
  return copy;
}

test('it never accepts an order that the schema rejects, with any value in any place', () => {
  const order = fc.constantFrom(...RIGHT);
  const change = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(-1, 1.5, '', ' ', '\u200b', '2026-02-30T00:00:00Z', 'EUR', [], {}, null, 1e15),
  );
  fc.assert(
    fc.property(order, fc.nat(), change, (right, pick, replacement) => {
      const places = placesIn(right);
      const changed = withChange(right, places[pick % places.length] ?? [], replacement);
      if (isSurelyRight(changed)) expect(orderSchema.safeParse(changed).success).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, key) => (inner as Record<string, unknown>)[key], value);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

test('the check for known fields never accepts an order with an unknown field in any place', () => {
  const plain = RIGHT.filter((order) => warnOfUnknownFields(order as JsonValue, KNOWN_FIELDS).length === 0);
  expect(plain.length).toBeGreaterThan(2);
  for (const order of plain) expect(isSurelyPlain(order)).toBe(true);
  fc.assert(
    fc.property(
      fc.constantFrom(...RIGHT),
      fc.nat(),
      fc.constantFrom('', 'nmae', 'constructor', 'id'),
      (right, pick, key) => {
        const places = placesIn(right).filter((path) => isObject(at(right, path)));
        const changed = withChange(right, [...(places[pick % places.length] ?? []), key], 'x') as JsonValue;
        if (isSurelyPlain(changed)) expect(warnOfUnknownFields(changed, KNOWN_FIELDS)).toEqual([]);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('both the check and the schema reject an id without visible characters', () => {
  for (const blank of [' ', '\u00a0', '\u3000 ', '\u200b', '\ufeff', '\u3164']) {
    for (const field of ['orderId', 'restaurantId']) {
      const order = { ...examples.FULL_ORDER, [field]: blank };
      expect([field, blank, isSurelyRight(order)]).toEqual([field, blank, false]);
      expect(orderSchema.safeParse(order).error?.issues).toMatchObject([
        { path: [field], message: 'Must contain at least one visible character' },
      ]);
    }
  }
  expect(isSurelyRight({ ...examples.FULL_ORDER, orderId: ' a' })).toBe(true);
});
