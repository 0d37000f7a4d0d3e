import { describe, expect, test } from 'vitest';
import { checkContentFacts, NO_FACTS, readContentFacts, writeContentFacts } from './content-facts.ts';

const FULL = {
  orderId: 'a',
  displayId: 'A-17',
  pickup: { location: { latitude: 41.01, longitude: 28.97 } },
  dropoff: {
    phone: '(0212) 555-01',
    address: { line1: '', formatted: 'Istiklal 5' },
    location: { latitude: 41.02, longitude: 28.98 },
  },
  customer: { name: 'Ada', phone: '+90 555 01 02' },
  items: [{ name: 'Soup', quantity: 1 }],
  package: { count: 3 },
  currency: 'TRY',
  totals: { total: 4_200 },
  payment: { status: 'COLLECT_ON_DELIVERY', amountToCollect: 4_200 },
  timing: {
    prepMinutes: 15,
    readyAt: '2026-03-01T12:30:00+03:00',
    dropoffWindow: { start: '2026-03-01T12:40:00+03:00', end: '2026-03-01T13:00:00+03:00' },
    maxDeliveryMinutes: 25,
  },
  requirements: { vehicle: ['CAR', 'BICYCLE'], canCombine: false },
  test: { speed: 100, webhook: { duplicate: true } },
};

test('facts are the typed values of the content', () => {
  expect(readContentFacts(FULL)).toEqual({
    displayId: 'A-17',
    pickup: { latitude: 41.01, longitude: 28.97 },
    dropoff: { latitude: 41.02, longitude: 28.98 },
    prepMinutes: 15,
    readyAt: Date.UTC(2026, 2, 1, 9, 30),
    windowStart: Date.UTC(2026, 2, 1, 9, 40),
    windowEnd: Date.UTC(2026, 2, 1, 10),
    maxDeliveryMinutes: 25,
    bags: 3,
    vehicles: ['BICYCLE', 'CAR'],
    canCombine: false,
    customer: 'Ada',
    phone: '+90 555 01 02',
    phoneDigits: '905550102 021255501',
    destination: 'Istiklal 5',
    itemCount: 1,
    total: 4_200,
    toCollect: 4_200,
    currency: 'TRY',
    script: FULL.test,
  });
});

test.each([
  ['15.0', 15],
  ['1.5e1', 15],
  ['150E-1', 15],
  ['0.15e+2', 15],
  ['-0', 0],
  ['1e-400', 0],
])('a count written as %s is %d', (spelling, minutes) => {
  const { prepMinutes } = readContentFacts(JSON.parse(`{"timing":{"prepMinutes":${spelling}}}`));
  expect(Object.is(prepMinutes, minutes)).toBe(true);
});

test.each(['+23:59', '-23:59', '+15:59', '+16:00', 'Z', '-00:00'])(
  'a time with the offset %s is an instant',
  (offset) => {
    const { readyAt } = readContentFacts({ timing: { readyAt: `2026-03-01T12:30:00.123456789${offset}` } });
    expect(Number.isInteger(readyAt)).toBe(true);
  },
);

test('latitude 0, longitude 0 is not a valid location in any spelling', () => {
  const content = JSON.parse('{"dropoff":{"location":{"latitude":-0.0,"longitude":1e-400}}}');
  expect(readContentFacts(content).dropoff).toBeNull();
});

test.each([null, [], 'text', 7, { timing: [], dropoff: 'x', items: {}, package: { count: '2' } }])(
  'content that no version understands has no facts: %j',
  (content) => expect(readContentFacts(content)).toEqual(NO_FACTS),
);

describe('stored facts', () => {
  test.each([
    FULL,
    {},
    { customer: { phone: '+905550102' } },
    { customer: { phone: '05550102' } },
    { customer: { phone: '+' } },
    { customer: { phone: '' }, dropoff: { phone: '+905550102' } },
  ])('are unchanged after being stored: %j', (content) => {
    const facts = readContentFacts(content);
    expect(checkContentFacts(JSON.parse(writeContentFacts(facts)))).toEqual(facts);
  });

  test('omit what the order does not contain', () => {
    expect(writeContentFacts(readContentFacts({ orderId: 'a' }))).toBe('{}');
  });

  test.each([
    [{ prepMinutes: '15.0' }],
    [{ prepMinutes: 1.5 }],
    [{ readyAt: '2026-03-01' }],
    [{ readyAt: 9e15 }],
    [{ dropoff: [91, 0] }],
    [{ dropoff: ['41', 29] }],
    [{ dropoff: [41] }],
    [{ dropoff: { latitude: 41, longitude: 29 } }],
    [{ vehicles: ['ROCKET'] }],
    [{ bags: null }],
    ['facts'],
  ])('are rejected if malformed: %j', (stored) => expect(() => checkContentFacts(stored)).toThrow('order'));

  test('from a later version are read as far as this version knows them', () => {
    expect(checkContentFacts({ bags: 2, altitude: 'high' }).bags).toBe(2);
  });
});
