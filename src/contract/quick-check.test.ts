import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostileBodies } from '../../test/helpers/hostile-bodies.ts';
import * as examples from './order-examples.ts';
import { orderSchema } from './order-schema.ts';
import { compileQuickCheck } from './quick-check.ts';

const isSurelyRight = compileQuickCheck(orderSchema);
const RIGHT: unknown[] = Object.values(examples).filter((value) => orderSchema.safeParse(value).success);

test('it says yes to the orders that are meant to be usual, or it would be of no use', () => {
  expect(RIGHT.length).toBeGreaterThan(2);
  for (const order of RIGHT) expect(isSurelyRight(order)).toBe(true);
});

test('it never says yes to what the schema refuses: hostile bodies', () => {
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

/** Every place in a value, as the keys that lead there. */
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

test('it never says yes to what the schema refuses: any order with anything put in any place', () => {
  const order = fc.constantFrom(...RIGHT);
  const change = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(-1, 1.5, '', '2026-02-30T00:00:00Z', 'EUR', [], {}, null, 1e15),
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
