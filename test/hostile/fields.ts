// Orders in valid JSON with one wrong field, and the field that the refusal must name.
import { encode, invalid, type Json, type HostileBody } from './body-making.ts';

export function wrongShapes(): HostileBody[] {
  return ['null', '[]', '"order"', '7', 'true', '[{}]'].map((text) => ({
    name: `the body ${text}`,
    body: Buffer.from(text),
    expect: invalid('body'),
  }));
}

type MakeOrder = (extra: Record<string, Json>) => Record<string, Json>;

export function wrongIds(order: MakeOrder): HostileBody[] {
  const ids = ['', 'x'.repeat(129), 'x'.repeat(200_000), '😀'.repeat(129), 'a\nb', 'a\u001b[31m', 'a\u007f', 'a\u0085'];
  const missing = { name: 'no orderId', body: encode({ restaurantId: 'r' }), expect: invalid('orderId') };
  return [
    missing,
    { name: 'no restaurantId', body: encode({ orderId: 'a' }), expect: invalid('restaurantId') },
    {
      name: '65 characters of restaurantId',
      body: encode(order({ restaurantId: 'x'.repeat(65) })),
      expect: invalid('restaurantId'),
    },
    ...ids.map((orderId) => ({
      name: `the orderId ${JSON.stringify(orderId.slice(0, 8))} of ${orderId.length}`,
      body: encode(order({ orderId })),
      expect: invalid('orderId'),
    })),
  ];
}

export function wrongTypes(full: Json): HostileBody[] {
  return placesIn(full, [])
    .filter(({ path }) => path.length > 0)
    .flatMap(({ path, value }) =>
      [wrongTypeFor(value), null].map((wrong) => ({
        name: `${JSON.stringify(wrong)} for ${pathText(path)}`,
        body: encode(replaceAt(full, path, wrong)),
        expect: invalid(pathText(path)),
      })),
    );
}

/** Every path inside a value that holds something, including the value itself. */
export function placesIn(value: Json, path: (string | number)[]): { path: (string | number)[]; value: Json }[] {
  const inner = Array.isArray(value)
    ? value.flatMap((element, index) => placesIn(element, [...path, index]))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, member]) => placesIn(member, [...path, key]))
      : [];
  return [{ path, value }, ...inner];
}

function wrongTypeFor(value: Json): Json {
  if (typeof value === 'string') return 7;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? { 0: 'a' } : ['a'];
}

function replaceAt(value: Json, path: (string | number)[], replacement: Json): Json {
  const [head, ...rest] = path;
  if (head === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((element, index) => (index === head ? replaceAt(element, rest, replacement) : element));
  if (typeof value !== 'object' || value === null) return value;
  return { ...value, [head]: replaceAt(value[head] ?? null, rest, replacement) };
}

function pathText(path: (string | number)[]): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`)).join('');
}

export function wrongValues(order: MakeOrder): HostileBody[] {
  const times = [
    '2026-03-01T12:00:00',
    '2026-03-01',
    '2026-03-01 12:00:00Z',
    '2026-02-29T12:00:00Z',
    '2100-02-29T12:00:00Z',
    '2026-04-31T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-03-01T24:00:00Z',
    '2026-03-01T12:00:60Z',
    '2026-03-01T12:00:00+24:00',
    '1999-12-31T23:59:59Z',
    '+012026-03-01T12:00:00Z',
    'infinity',
    '-infinity',
    'now',
    'tomorrow',
    '',
  ];
  const at = (latitude: Json, longitude: Json) => order({ dropoff: { location: { latitude, longitude } } });
  const item = (extra: Record<string, Json>) => order({ items: [{ name: 'a', quantity: 1, ...extra }] });
  const pay = (payment: Record<string, Json>) => order({ currency: 'EUR', payment });
  const cases: [string, Json, string][] = [
    ...times.map((placedAt): [string, Json, string] => [`the time ${placedAt}`, order({ placedAt }), 'placedAt']),
    ['negative money', order({ currency: 'EUR', tip: -1 }), 'tip'],
    ['a fraction of a cent', order({ currency: 'EUR', tip: 1.5 }), 'tip'],
    ['money without a currency', order({ tip: 1 }), 'currency'],
    ['an item price without a currency', item({ unitPrice: 1 }), 'currency'],
    ['a currency in lower case', order({ currency: 'eur' }), 'currency'],
    ['an unknown currency', order({ currency: 'XQZ' }), 'currency'],
    ['half an item', item({ quantity: 0.5 }), 'items[0].quantity'],
    ['no item', item({ quantity: 0 }), 'items[0].quantity'],
    ['an item without a name', order({ items: [{ quantity: 1 }] }), 'items[0].name'],
    ['201 items', order({ items: Array.from({ length: 201 }, () => ({ name: 'a', quantity: 1 })) }), 'items'],
    ['50000 wrong items', order({ items: Array(50_000).fill(1) }), 'items'],
    ['51 metadata pairs', order({ metadata: numbered(51) }), 'metadata'],
    ['a latitude of 91', at(91, 181), 'dropoff.location.latitude'],
    ['a longitude of 181', at(0, 181), 'dropoff.location.longitude'],
    ['swapped coordinates', at(151.2, -33.9), 'dropoff.location.latitude'],
    ['half a location', order({ dropoff: { location: { latitude: 1 } } }), 'dropoff.location.longitude'],
    ['an unknown payment status', pay({ status: 'LATER' }), 'payment.status'],
    ['cash without an amount', pay({ status: 'COLLECT_ON_DELIVERY' }), 'payment.amountToCollect'],
    ['paid, and cash as well', pay({ status: 'PAID', amountToCollect: 5 }), 'payment.amountToCollect'],
    [
      'too small a banknote',
      pay({ status: 'COLLECT_ON_DELIVERY', amountToCollect: 5, cashTendered: 4 }),
      'payment.cashTendered',
    ],
    ['a window that ends before it starts', windowOf(order, '13:00', '12:00'), 'timing.dropoffWindow.end'],
    ['a window without length', windowOf(order, '12:00', '12:00'), 'timing.dropoffWindow.end'],
    ['an unknown vehicle', order({ requirements: { vehicle: ['DRAGON'] } }), 'requirements.vehicle[0]'],
    ['a phone without digits', order({ customer: { phone: 'call me' } }), 'customer.phone'],
    ['a name of 201 characters', order({ customer: { name: 'x'.repeat(201) } }), 'customer.name'],
    ['a country in words', order({ dropoff: { address: { country: 'Turkey' } } }), 'dropoff.address.country'],
    ['a test script in the live environment', order({ test: { speed: 60 } }), 'test'],
    ['an empty test script in the live environment', order({ test: {} }), 'test'],
  ];
  return [
    ...cases.map(([name, body, field]) => ({ name, body: encode(body), expect: invalid(field) })),
    {
      name: '__proto__ in metadata',
      body: Buffer.from(`{"orderId":"a","restaurantId":"r","metadata":{"__proto__":"x"}}`),
      expect: invalid('metadata'),
    },
  ];
}

function windowOf(order: MakeOrder, start: string, end: string): Json {
  return order({ timing: { dropoffWindow: { start: `2026-03-01T${start}:00Z`, end: `2026-03-01T${end}:00Z` } } });
}

function numbered(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'x']));
}
