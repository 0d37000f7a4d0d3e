import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { placesIn } from '../../../../test/hostile/fields.ts';
import { hostileBodies } from '../../../../test/hostile/bodies.ts';
import { oddBodies } from '../../../../test/hostile/odd-bodies.ts';
import type { JsonValue } from '../../../domain/canonical-json.ts';
import { FULL_ORDER, SCRIPTED_ORDER, SMALL_ORDER, USUAL_ORDER } from './examples.ts';
import { readOrderRequest } from './request.ts';
import { parseStrictJson } from '../../validation/strict-json.ts';

const LIVE = { environment: 'live' } as const;
const TEST = { environment: 'test' } as const;

function accept(value: JsonValue) {
  const result = readOrderRequest(value, LIVE);
  if (!result.ok) throw new Error(JSON.stringify(result.refusal));
  return result;
}

function problemsOf(value: JsonValue, options: { environment: 'live' | 'test' } = LIVE) {
  const result = readOrderRequest(value, options);
  return result.ok ? [] : (result.refusal.details ?? []);
}

describe('accepted', () => {
  test.each([
    ['small', SMALL_ORDER],
    ['usual', USUAL_ORDER],
    ['full', FULL_ORDER],
  ])('the %s example has no warnings', (_name, order) => {
    expect(accept(order).warnings).toEqual([]);
  });

  test('the order equals the input, including unknown fields', () => {
    const value = { ...FULL_ORDER, loyalty: { points: 7 }, items: [{ name: 'a', quantity: 1, color: 'red' }] };
    expect(accept(value).order).toEqual(value);
  });

  test.each(oddBodies('r'))('$name', ({ body }) => {
    const parsed = parseStrictJson(body);
    if (!parsed.ok) throw new Error('not parsed');
    expect(accept(parsed.value).order).toBe(parsed.value);
  });

  test('ids are neither trimmed nor case-folded', () => {
    expect(accept({ orderId: ' A ', restaurantId: ' r ' }).order.orderId).toBe(' A ');
  });

  test('an orderId of 128 visible characters is accepted', () => {
    expect(accept({ ...SMALL_ORDER, orderId: '😀'.repeat(128) }).order.orderId).toHaveLength(256);
  });

  test('200 items and 50 metadata pairs are accepted', () => {
    const items = Array.from({ length: 200 }, () => ({ name: 'a', quantity: 1 }));
    const metadata = Object.fromEntries(items.slice(0, 50).map((_, index) => [`k${index}`, '']));
    expect(accept({ ...SMALL_ORDER, items, metadata }).order.items).toHaveLength(200);
  });
});

describe('rejected', () => {
  const invalid = hostileBodies('r').filter(({ expect }) => expect.code === 'REQ_004');

  test.each(invalid)('$name', ({ body, expect: { field } }) => {
    const parsed = parseStrictJson(body);
    const result = parsed.ok ? readOrderRequest(parsed.value, LIVE) : parsed;
    expect(result).toMatchObject({ ok: false, refusal: { code: 'REQ_004' } });
    expect(result.ok ? [] : result.refusal.details?.map((problem) => problem.field)).toContain(field);
  });

  test('any JSON value is accepted or rejected without throwing', () => {
    const anyOrder = fc.record(
      Object.fromEntries(Object.keys(FULL_ORDER).map((key) => [key, fc.jsonValue({ maxDepth: 3 })])),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(anyOrder, (value) => {
        const json: JsonValue = JSON.parse(JSON.stringify(value));
        expect(typeof readOrderRequest(json, TEST).ok).toBe('boolean');
      }),
    );
  });

  test('a body full of errors is rejected within 100 ms of CPU time, with at most 50 errors listed', () => {
    const wrong = { name: 1, quantity: '', options: Array.from({ length: 50 }, () => ({ id: 1, unitPrice: '' })) };
    const items = Array.from({ length: 200 }, () => wrong);
    const before = process.threadCpuUsage();
    expect(problemsOf({ ...SMALL_ORDER, items })).toHaveLength(50);
    expect(process.threadCpuUsage(before).user).toBeLessThan(100_000);
  });
});

describe('the error message', () => {
  test.each<[string, JsonValue, string]>([
    ['a missing field', { restaurantId: 'r' }, 'This field is required'],
    ['null', { ...SMALL_ORDER, customer: null }, 'Must be a JSON object, or omitted'],
    ['a wrong type', { ...SMALL_ORDER, tags: 'a' }, 'Must be an array'],
    ['a fraction', { ...SMALL_ORDER, tip: 0.5 }, 'Must be a whole number'],
    ['a wrong choice', { ...SMALL_ORDER, payment: { status: 'x' } }, 'Must be one of PAID, COLLECT_ON_DELIVERY'],
    ['too many', { ...SMALL_ORDER, requirements: { vehicle: Array(5).fill('CAR') } }, 'Must have at most 4 elements'],
    ['too long a name', { ...SMALL_ORDER, metadata: { ['k'.repeat(65)]: '' } }, 'Must be at most 64 characters'],
    [
      'swapped coordinates',
      { ...SMALL_ORDER, dropoff: { location: { latitude: 151.2, longitude: -33.9 } } },
      'Must be between -90 and 90. Latitude and longitude look swapped',
    ],
  ])('for %s describes a valid value', (_name, value, message) => {
    expect(problemsOf(value).map((problem) => problem.message)).toEqual([message]);
  });
});

describe('warnings', () => {
  test('list unknown fields at every level and suggest the likely intended name', () => {
    const { warnings } = accept({ ...SMALL_ORDER, dropOff: {}, zebra: 1, items: [{ name: 'a', quantity: 1, qty: 2 }] });
    expect(warnings).toEqual([
      'Unknown field dropOff is stored with the order. Did you mean dropoff?',
      'Unknown field zebra is stored with the order',
      'Unknown field items[0].qty is stored with the order',
    ]);
  });

  test('are limited in number and say so', () => {
    const extra = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`z${index}`, 1]));
    const { warnings } = accept({ ...SMALL_ORDER, ...extra });
    expect(warnings).toHaveLength(51);
    expect(warnings.at(-1)).toContain('more unknown fields');
  });

  test('never cover metadata, which belongs to the integrator', () => {
    expect(accept({ ...SMALL_ORDER, metadata: { anything: 'x' } }).warnings).toEqual([]);
  });
});

describe('issues', () => {
  const at = (latitude: number, longitude: number) => ({ location: { latitude, longitude } });

  test.each<[string, JsonValue, string[]]>([
    ['no drop-off', SMALL_ORDER, ['DROPOFF_NOT_ROUTABLE']],
    ['a drop-off at 0, 0', { ...SMALL_ORDER, dropoff: at(0, 0) }, ['DROPOFF_NOT_ROUTABLE']],
    ['a drop-off nearby', { ...SMALL_ORDER, pickup: at(41, 29), dropoff: at(41.01, 29.01) }, []],
    ['a drop-off across the date line', { ...SMALL_ORDER, pickup: at(0, 179.9), dropoff: at(0, -179.9) }, []],
    [
      'a drop-off on another continent',
      { ...SMALL_ORDER, pickup: at(41, 29), dropoff: at(-33, 151) },
      ['DROPOFF_FAR_FROM_PICKUP'],
    ],
    ['only a drop-off', { ...SMALL_ORDER, dropoff: at(41, 29) }, []],
  ])('%s', (_name, value, codes) => {
    expect(accept(value).issues.map(({ code }) => code)).toEqual(codes);
  });

  test('swapped coordinates within the valid range are detected by distance', () => {
    const { issues } = accept({ ...SMALL_ORDER, pickup: at(41, 29), dropoff: at(29.01, 41.01) });
    expect(issues[0]?.message).toContain('look swapped');
  });
});

describe('the test script', () => {
  test('is accepted in the test environment and rejected in the live environment', () => {
    expect(readOrderRequest(SCRIPTED_ORDER, TEST)).toMatchObject({ ok: true, warnings: [] });
    expect(problemsOf(SCRIPTED_ORDER)).toEqual([
      { field: 'test', message: 'Must be omitted: it is only accepted in the test environment' },
    ]);
  });

  test('is validated as strictly as the rest', () => {
    for (const { path, value } of placesIn(SCRIPTED_ORDER.test, []).slice(1)) {
      const wrong = structuredClone(SCRIPTED_ORDER);
      Object.assign(parentOf(wrong.test, path), { [String(path.at(-1))]: typeof value === 'string' ? 'X' : 'seven' });
      expect(problemsOf(wrong, TEST).map(({ field }) => field)).toEqual([['test', ...path].join('.')]);
    }
  });

  test('a courier cannot cancel with a restaurant’s reason', () => {
    const cancel = { reason: 'OUT_OF_STOCK', at: 'NEW', by: 'Courier' };
    expect(problemsOf({ ...SMALL_ORDER, test: { cancel } }, TEST)[0]?.field).toBe('test.cancel.by');
  });
});

function parentOf(value: object, path: (string | number)[]): object {
  const parent: unknown = path.slice(0, -1).reduce((inner: unknown, key) => Reflect.get(Object(inner), key), value);
  return Object(parent);
}
