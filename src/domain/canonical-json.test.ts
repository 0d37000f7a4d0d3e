import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, differingFields, fieldPath, readAt, type JsonValue } from './canonical-json.ts';

const jsonValue = fc.jsonValue({ stringUnit: 'binary' }).map((value): JsonValue => JSON.parse(JSON.stringify(value)));

function withShuffledKeys(value: JsonValue, seed: number): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => withShuffledKeys(element, seed));
  const entries = Object.entries(value).map(([key, member]): [string, JsonValue] => [
    key,
    withShuffledKeys(member, seed),
  ]);
  const turned = seed % 2 === 0 ? entries.reverse() : [...entries.slice(1), ...entries.slice(0, 1)];
  return Object.fromEntries(turned);
}

describe('canonical JSON', () => {
  test('does not depend on the order of the keys', () => {
    fc.assert(
      fc.property(jsonValue, fc.nat(), (value, seed) => {
        expect(canonicalJson(withShuffledKeys(value, seed))).toBe(canonicalJson(value));
      }),
    );
  });

  test('parses back to the value it was made from', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  test('differs for different values', () => {
    fc.assert(
      fc.property(jsonValue, jsonValue, (a, b) => {
        expect(canonicalJson(a) === canonicalJson(b)).toBe(differingFields(a, b).length === 0);
      }),
    );
  });

  test('follows RFC 8785', () => {
    const value = {
      '\u20ac': 1,
      '\r': 2,
      '1': [],
      '\ud83d\ude00': {},
      a: [1e21, -0, 1.5, null, true, '"\\\n\u001f/é'],
    };
    expect(canonicalJson(value)).toBe(
      '{"\\r":2,"1":[],"a":[1e+21,0,1.5,null,true,"\\"\\\\\\n\\u001f/é"],"€":1,"😀":{}}',
    );
  });

  test('keeps __proto__ as an ordinary key', () => {
    const value: JsonValue = JSON.parse('{"a":1,"__proto__":{"b":2}}');
    expect(canonicalJson(value)).toBe('{"__proto__":{"b":2},"a":1}');
  });
});

describe('differing fields', () => {
  test('are listed by path, whether changed, added or removed', () => {
    const a = { orderId: 'a', items: [{ name: 'x', quantity: 1 }], tip: 5, tags: ['p'] };
    const b = { orderId: 'a', items: [{ name: 'x', quantity: 2 }], tags: ['p', 'q'], channel: 'web' };
    expect(differingFields(a, b)).toEqual(['items[0].quantity', 'tip', 'tags[1]', 'channel']);
  });

  test('are none when only the order of the keys differs', () => {
    expect(differingFields({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toEqual([]);
  });

  test('include a key with the name of an inherited property', () => {
    expect(differingFields({ constructor: 1 }, {})).toEqual(['constructor']);
    expect(differingFields(JSON.parse('{"__proto__":{}}'), {})).toEqual(['__proto__']);
  });

  test('are limited to 20', () => {
    const many = Array.from({ length: 100 }, (_, index) => index);
    expect(differingFields(many, [])).toHaveLength(20);
  });
});

describe('a field path', () => {
  test('quotes keys that are not plain words and shortens long ones', () => {
    expect(fieldPath(['items', 0, 'quantity'])).toBe('items[0].quantity');
    expect(fieldPath(['metadata', 'a.b'])).toBe('metadata["a.b"]');
    expect(fieldPath(['x'.repeat(1000)]).length).toBeLessThan(80);
  });

  test('resolves to the value it names, and never to anything outside the document', () => {
    expect(readAt({ items: [{ quantity: 3 }] }, ['items', 0, 'quantity'])).toBe(3);
    expect(readAt({}, ['constructor', 'name'])).toBeUndefined();
  });
});
