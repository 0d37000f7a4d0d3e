import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostileBodies } from '../../../test/hostile/bodies.ts';
import { oddBodies, usualBody } from '../../../test/hostile/odd-bodies.ts';
import { canonicalJson, type JsonValue } from '../../domain/canonical-json.ts';
import { FULL_ORDER } from '../integrator/orders/examples.ts';
import { parseStrictJson } from './strict-json.ts';

function parse(text: string) {
  return parseStrictJson(Buffer.from(text));
}

function refusalOf(text: string) {
  const result = parse(text);
  return result.ok ? undefined : result.refusal;
}

// Generates only accepted values: limited depth, safe numbers, no NUL.
const jsonValue = fc
  .jsonValue({ maxDepth: 6, stringUnit: 'binary' })
  .map((value): JsonValue => JSON.parse(JSON.stringify(value), (_key, member: JsonValue) => makeSafe(member)))
  .filter((value) => !JSON.stringify(value).includes('\\u0000'));

function makeSafe(member: JsonValue): JsonValue {
  return typeof member === 'number' && Math.abs(member) > Number.MAX_SAFE_INTEGER ? Math.abs(member) % 1000 : member;
}

describe('accepted', () => {
  test('every JSON value survives parsing and canonical serialization', () => {
    fc.assert(
      fc.property(jsonValue, fc.constantFrom(0, 2), (value, indent) => {
        for (const text of [JSON.stringify(value, null, indent), canonicalJson(value)]) {
          expect(parse(text)).toEqual({ ok: true, value, bytes: Buffer.from(text) });
        }
      }),
    );
  });

  test.each(oddBodies('r'))('$name', ({ body }) => {
    expect(parseStrictJson(body)).toEqual({ ok: true, value: JSON.parse(body.toString()), bytes: body });
  });

  test('__proto__ and constructor are plain data and have no effect', () => {
    const result = parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}');
    expect(result.ok && Object.keys(result.value ?? {})).toEqual(['__proto__', 'constructor']);
    expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
  });
});

describe('rejected', () => {
  const malformed = hostileBodies('r').filter(({ expect }) => expect.code === 'REQ_001');

  test.each(malformed)('$name', ({ body, expect: { code, field } }) => {
    const result = parseStrictJson(body);
    expect(result).toMatchObject({
      ok: false,
      refusal: { code, ...(field !== undefined && { details: [{ field }] }) },
    });
  });

  test('an order truncated at any byte is rejected with a parse error', () => {
    const whole = Buffer.from(JSON.stringify(FULL_ORDER));
    for (let length = 0; length < whole.length; length++) {
      expect(parseStrictJson(whole.subarray(0, length)).ok).toBe(false);
    }
    expect(parseStrictJson(whole).ok).toBe(true);
  });

  test('any bytes that the native parser rejects are rejected with a parse error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(parseStrictJson(Buffer.from(bytes)).ok).toBe(isPlainJson(Buffer.from(bytes)));
      }),
    );
  });

  test('an order with one changed byte is rejected or parsed exactly as the native parser does', () => {
    const whole = usualBody('r', 'a');
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
        const changed = Buffer.from(whole);
        changed[at] = byte;
        const result = parseStrictJson(changed);
        expect(result.ok ? result.value : null).toEqual(result.ok ? JSON.parse(changed.toString()) : null);
      }),
      { numRuns: 500 },
    );
  });

  test('a duplicate key in any object, at any depth and in any spelling, is rejected', () => {
    const key = fc.string({ maxLength: 5 }).filter((text) => !/[\0\ud800-\udfff]/.test(text));
    fc.assert(
      fc.property(key, jsonValue, fc.array(fc.boolean(), { maxLength: 10 }), (name, value, wrappers) => {
        const escaped = name.replaceAll(/./gs, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
        let text = `{${JSON.stringify(name)}:${JSON.stringify(value)},"${escaped}":0}`;
        for (const isArray of wrappers) text = isArray ? `[0,${text}]` : `{"${name === 'in' ? 'on' : 'in'}":${text}}`;
        const refusal = refusalOf(text);
        expect(refusal?.code).toBe('REQ_001');
        expect(refusal?.message).toContain('more than once');
      }),
    );
  });
});

describe('the error message', () => {
  test.each([
    ['{"a":1,}', 'The body is not valid JSON: expected a key in double quotes but found "}" at line 1, column 8'],
    ['{\n  "a": tru\n}', 'The body is not valid JSON: expected a value but found "t" at line 2, column 8'],
    ['[1 2]', 'The body is not valid JSON: expected "," or "]" but found "2" at line 1, column 4'],
    ['{"a":1', 'The body is not valid JSON: expected "," or "}" but found the end of the body at line 1, column 7'],
    ['', 'The body is empty. Send a JSON object'],
    ['\ufeff{}', 'The body starts with a byte order mark. Send UTF-8 without it'],
    ['{"a":{"b":1,"b":2}}', 'The key a.b appears more than once'],
    ['['.repeat(21), 'The body is nested more than 20 levels deep at byte 20'],
  ])('for %j says what is wrong and where', (text, message) => {
    expect(refusalOf(text)?.message).toBe(message);
  });

  test('gives the byte where UTF-8 becomes invalid', () => {
    const result = parseStrictJson(Buffer.from([0x22, 0xc3, 0xa9, 0xff, 0x22]));
    expect(result).toMatchObject({ refusal: { message: 'The body is not valid UTF-8 after byte 3' } });
  });

  test('stays short for keys of any length', () => {
    const key = JSON.stringify('k'.repeat(100_000));
    expect(refusalOf(`{${key}:1,${key}:2}`)?.message?.length).toBeLessThan(200);
  });
});

test('rejecting the largest body takes less than 100 ms of CPU time', () => {
  const worst = [
    '['.repeat(262_144),
    `"${'\\u0041'.repeat(43_000)}`,
    `{"a":[${'1e400,'.repeat(43_000)}1]}`,
    `[${'{"a":1},'.repeat(29_000)}{"a":1,"a":2}]`,
  ];
  for (const text of worst) {
    const body = Buffer.from(text);
    const before = process.threadCpuUsage();
    expect(parseStrictJson(body).ok).toBe(false);
    expect(process.threadCpuUsage(before).user).toBeLessThan(100_000);
  }
});

function isPlainJson(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  } catch {
    return false;
  }
}
