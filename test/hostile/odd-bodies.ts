// Bodies that look invalid but are valid: they are stored and returned as they were sent.
import { USUAL_ORDER } from '../../src/contract/integrator/orders/examples.ts';
import { encode, padded, SIZE_LIMIT } from './body-making.ts';

export interface OddBody {
  name: string;
  body: Buffer;
}

/** Each has its own orderId. */
export function oddBodies(restaurantId: string): OddBody[] {
  const texts = {
    SQL: `'); drop table orders; --`,
    HTML: '<script>alert(1)</script>',
    CSV: '=HYPERLINK("http://example.com")',
    ANSI: '\u001b[31mred\u001b[0m',
    CRLF: 'a\r\nSet-Cookie: b=c',
    bidi: '\u202etxt.exe',
    emoji: '👩‍👩‍👧‍👦',
  };
  const wrap = (name: string, extra: string) =>
    Buffer.from(`{"orderId":${JSON.stringify(`odd-${name}`)},"restaurantId":${JSON.stringify(restaurantId)}${extra}}`);
  return [
    ...Object.entries(texts).map(([name, text]) => {
      const quoted = JSON.stringify(text);
      return {
        name: `${name} as text`,
        body: wrap(name, `,"channel":${quoted},"notes":{"courier":${quoted}},"metadata":{"a":${quoted}}`),
      };
    }),
    { name: 'HTML as orderId', body: wrap('<b>"\'%', '') },
    { name: 'spaces around the orderId', body: wrap(' a ', '') },
    { name: '128 emoji as orderId', body: wrap('😀'.repeat(124), '') },
    { name: '__proto__ as a key', body: wrap('proto', ',"__proto__":{"isAdmin":true},"dropoff":{"__proto__":null}') },
    { name: 'constructor as a key', body: wrap('constructor', ',"constructor":{"prototype":{"isAdmin":true}}') },
    {
      name: 'keys that every object inherits',
      body: wrap('inherited', ',"toString":1,"hasOwnProperty":2,"valueOf":null'),
    },
    { name: 'a depth of 20', body: wrap('depth', `,"x":${'['.repeat(19)}${']'.repeat(19)}`) },
    {
      name: 'exactly the largest size',
      body: padded(`"orderId":"odd-size","restaurantId":${JSON.stringify(restaurantId)}`, SIZE_LIMIT),
    },
    { name: 'the largest safe integer', body: wrap('safe', ',"x":9007199254740991,"y":-9007199254740991') },
    { name: '29 February of a leap year', body: wrap('leap', ',"placedAt":"2028-02-29T12:00:00.123456789-11:30"') },
    {
      name: 'white space everywhere',
      body: Buffer.from(`\n\t{ "orderId" : "odd-space" ,\r\n "restaurantId" : ${JSON.stringify(restaurantId)} }\n`),
    },
    { name: 'escapes for plain letters', body: wrap('escapes', ',"channel":"\\u0041\\ud83d\\ude00\\/"') },
  ];
}

/** A typical order, with nothing odd in it. */
export function usualBody(restaurantId: string, orderId: string): Buffer {
  return encode({ ...USUAL_ORDER, restaurantId, orderId });
}
