// Bodies that must be refused with a proper error. The contract tests parse them directly; the flow tests send them to
// the running service.
import { FULL_ORDER, SMALL_ORDER } from '../../src/contract/integrator/orders/examples.ts';
import { encode, invalid, type Json, padded, SIZE_LIMIT, type HostileBody } from './body-making.ts';
import { wrongIds, wrongShapes, wrongTypes, wrongValues } from './fields.ts';

const MALFORMED = { status: 400, code: 'REQ_001' } as const;

/** For the live environment and for the restaurant with these IDs. */
export function hostileBodies(restaurantId: string): HostileBody[] {
  const ids = `"orderId":"hostile","restaurantId":${JSON.stringify(restaurantId)}`;
  const order = (extra: Record<string, Json>) => ({ ...SMALL_ORDER, restaurantId, ...extra });
  return [
    ...malformedTexts(ids),
    ...malformedBytes(ids),
    ...unsafeValues(ids),
    ...cutBodies(restaurantId),
    ...wrongShapes(),
    ...wrongIds(order),
    ...wrongTypes({ ...FULL_ORDER, restaurantId }),
    ...wrongValues(order),
    ...wrongEnvelopes(ids),
  ];
}

function malformedTexts(ids: string): HostileBody[] {
  const texts: Record<string, string> = {
    'nothing but white space': ' \n\t ',
    'two documents': `{${ids}}{${ids}}`,
    'a line comment': `{${ids}} // comment`,
    'a block comment': `{/* comment */${ids}}`,
    'a trailing comma': `{${ids},}`,
    'a trailing comma in an array': `{${ids},"tags":["a",]}`,
    NaN: `{${ids},"tip":NaN}`,
    Infinity: `{${ids},"tip":Infinity}`,
    'a hexadecimal number': `{${ids},"tip":0x10}`,
    'a leading zero': `{${ids},"tip":010}`,
    'a leading plus': `{${ids},"tip":+1}`,
    'single quotes': `{'orderId':'a'}`,
    'a bare key': `{orderId:"a"}`,
    'a raw line feed in a string': `{${ids},"channel":"a\nb"}`,
    'an unknown escape': `{${ids},"channel":"\\x41"}`,
    'a raw NUL after the document': `{${ids}}\0`,
    'a depth of 21': `{${ids},"x":${'['.repeat(20)}${']'.repeat(20)}}`,
    'a depth of 50000': `{${ids},"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    'opening brackets only': '['.repeat(100_000),
  };
  return [
    ...Object.entries(texts).map(([name, text]) => ({ name, body: Buffer.from(text), expect: MALFORMED })),
    ...duplicateKeys(ids),
  ];
}

function duplicateKeys(ids: string): HostileBody[] {
  const cases = [
    { name: 'a duplicate key', text: `{${ids},"orderId":"other"}`, field: 'orderId' },
    { name: 'a duplicate key with the same value', text: `{${ids},"orderId":"hostile"}`, field: 'orderId' },
    { name: 'a duplicate key by an escape', text: `{${ids},"\\u006frderId":"other"}`, field: 'orderId' },
    { name: 'a nested duplicate key', text: `{${ids},"dropoff":{"name":"a","name":"b"}}`, field: 'dropoff.name' },
    { name: 'a duplicate key in an array', text: `{${ids},"x":[{},{"a":1,"a":2}]}`, field: 'x[1].a' },
    { name: 'a duplicate __proto__', text: `{${ids},"__proto__":1,"__proto__":2}`, field: '__proto__' },
  ];
  return cases.map(({ name, text, field }) => ({ name, body: Buffer.from(text), expect: { ...MALFORMED, field } }));
}

function malformedBytes(ids: string): HostileBody[] {
  const bodies: Record<string, Buffer> = {
    'an empty body': Buffer.alloc(0),
    'UTF-16 little endian': Buffer.from(`{${ids}}`, 'utf16le'),
    'UTF-16 with a byte order mark': Buffer.from(`\ufeff{${ids}}`, 'utf16le'),
    'a byte order mark': Buffer.from(`\ufeff{${ids}}`),
    'a byte that is no UTF-8': Buffer.concat([
      Buffer.from(`{${ids},"channel":"`),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]),
    'Latin-1': Buffer.from(`{${ids},"channel":"café"}`, 'latin1'),
    'an overlong encoding': Buffer.concat([
      Buffer.from(`{${ids},"channel":"`),
      Buffer.from([0xc0, 0xaf]),
      Buffer.from('"}'),
    ]),
    'an encoded surrogate': Buffer.concat([
      Buffer.from(`{${ids},"channel":"`),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from('"}'),
    ]),
    'a cut character': Buffer.from(`{${ids},"channel":"é`).subarray(0, -1),
  };
  return Object.entries(bodies).map(([name, body]) => ({ name, body, expect: MALFORMED }));
}

function unsafeValues(ids: string): HostileBody[] {
  const cases = [
    { text: '"orderId":"a\\u0000b","restaurantId":"r"', field: 'orderId' },
    { text: '"orderId":"a\\ud800b","restaurantId":"r"', field: 'orderId' },
    { text: '"orderId":"a\\udc00\\ud800","restaurantId":"r"', field: 'orderId' },
    { text: `${ids},"x":{"y":["\\u0000"]}`, field: 'x.y[0]' },
    { text: `${ids},"a\\u0000":1`, field: '["a\\u0000"]' },
    { text: `${ids},"tip":9007199254740993`, field: 'tip' },
    { text: `${ids},"tip":1e400`, field: 'tip' },
    { text: `${ids},"x":-1e400`, field: 'x' },
    { text: `${ids},"x":1e130000`, field: 'x' },
    { text: `${ids},"x":[9007199254740992]`, field: 'x[0]' },
  ];
  return cases.map(({ text, field }) => ({
    name: `unsafe: ${text.slice(-40)}`,
    body: Buffer.from(`{${text}}`),
    expect: invalid(field),
  }));
}

function cutBodies(restaurantId: string): HostileBody[] {
  const whole = Buffer.from(JSON.stringify({ ...SMALL_ORDER, restaurantId, channel: 'é' }));
  return Array.from({ length: whole.length }, (_, length) => ({
    name: `cut after ${length} of ${whole.length} bytes`,
    body: whole.subarray(0, length),
    expect: MALFORMED,
  }));
}

function wrongEnvelopes(ids: string): HostileBody[] {
  const body = Buffer.from(`{${ids}}`);
  const types = [
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ];
  const tooLarge = { status: 413, code: 'REQ_003' } as const;
  return [
    ...types.map((contentType) => ({
      name: contentType,
      body,
      contentType,
      expect: { status: 415, code: 'REQ_002' } as const,
    })),
    { name: 'a body labeled gzip', body, contentEncoding: 'gzip', expect: { status: 415, code: 'REQ_002' } },
    { name: 'one byte too many', body: padded(ids, SIZE_LIMIT + 1), expect: tooLarge },
    {
      name: 'an orderId of a million characters',
      body: encode({ orderId: 'x'.repeat(1_000_000), restaurantId: 'r' }),
      expect: tooLarge,
    },
  ];
}
