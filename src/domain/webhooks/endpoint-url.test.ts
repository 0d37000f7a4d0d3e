import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSpecialName, parseEndpointUrl, readEndpointUrl } from './endpoint-url.ts';

function messageFor(text: string): string {
  const parsed = parseEndpointUrl(text);
  return parsed.ok ? `accepted as ${parsed.url}` : parsed.message;
}

describe('accepted and normalized', () => {
  test.each([
    ['https://hooks.example.com/status', 'https://hooks.example.com/status'],
    ['https://hooks.example.com', 'https://hooks.example.com/'],
    ['  HTTPS://Hooks.Example.COM:443/A?b=c d ', 'https://hooks.example.com/A?b=c%20d'],
    ['https://hooks.example.com:8443/x/../y', 'https://hooks.example.com:8443/y'],
    ['https://hooks.example.com./x', 'https://hooks.example.com/x'],
    ['https://münchen.example.com/', 'https://xn--mnchen-3ya.example.com/'],
    ['https://localhost:9443/hook', 'https://localhost:9443/hook'],
    ['https://receiver.test/hook', 'https://receiver.test/hook'],
  ])('%s', (text, url) => {
    expect(parseEndpointUrl(text)).toEqual({ ok: true, url });
  });

  test('normalizing twice changes nothing', () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ['https'], withQueryParameters: true }), (text) => {
        const once = parseEndpointUrl(text);
        const twice = once.ok ? parseEndpointUrl(once.url) : once;
        expect(twice).toEqual(once);
      }),
      { numRuns: 40 },
    );
  });
});

describe('refused', () => {
  test.each([
    ['', /not a valid URL/],
    ['hooks.example.com/x', /not a valid URL/],
    ['http://hooks.example.com/', /https/],
    ['ftp://hooks.example.com/', /https/],
    ['https://user@hooks.example.com/', /user name/],
    ['https://:secret@hooks.example.com/', /password/],
    ['https://hooks.example.com/#top', /fragment/],
    ['https://hooks.example.com/#', /fragment/],
    ['https://hooks.example.com:80/', /port/],
    ['https://hooks.example.com:1023/', /port/],
    ['https://hooks.example.com:0/', /port/],
    ['https://a..example.com/', /host name/],
    [`https://${'a'.repeat(64)}.example.com/`, /host name|valid URL/],
    [`https://hooks.example.com/${'a'.repeat(2048)}`, /2048/],
    // 1,400 characters as typed, three times as many when percent-encoded.
    [`https://hooks.example.com/${'é'.repeat(700)}`, /2048/],
  ])('%s', (text, message) => {
    expect(messageFor(text)).toMatch(message);
  });

  test.each([
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://①②⑦.⓪.⓪.①/',
    'https://127。0。0。1/',
    'https://%31%32%37.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[fd00::1]/',
    'https://93.184.216.34/',
  ])('an IP address in any spelling: %s', (text) => {
    expect(messageFor(text)).toMatch(/IP address/);
  });

  test('no spelling of an IPv4 address is accepted as a host name', () => {
    fc.assert(
      fc.property(fc.nat({ max: 0xffffffff }), fc.constantFrom(10, 16, 8), (value, base) => {
        const prefix = { 10: '', 16: '0x', 8: '0' }[base] ?? '';
        const inBase = (part: number): string => prefix + part.toString(base);
        const octets = [24, 16, 8, 0].map((shift) => inBase((value >>> shift) & 0xff));
        expect(messageFor(`https://${inBase(value)}/`)).toMatch(/IP address/);
        expect(messageFor(`https://${octets.join('.')}/`)).toMatch(/IP address/);
        expect(messageFor(`https://${octets.join('.')}./`)).toMatch(/IP address/);
      }),
    );
  });
});

test('reserved host names are distinguished from public ones', () => {
  const special = ['localhost', 'a.localhost', 'db', 'x.local', 'y.internal', 'z.home.arpa', 'q.onion', 'r.test'];
  const ordinary = ['example.com', 'local.example.com', 'mytest.org', 'internal.io'];
  expect([...special, ...ordinary].filter(isSpecialName)).toEqual(special);
});

test('the request line contains path and query, and nothing of the host', () => {
  expect(readEndpointUrl('https://hooks.example.com:8443/a/b?c=d')).toMatchObject({
    endpoint: { hostname: 'hooks.example.com', port: 8443, path: '/a/b?c=d', isSpecial: false },
  });
});
