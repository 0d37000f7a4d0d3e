import { expect, test } from 'vitest';
import { openingOf, toWireRequest } from './request.ts';

test('the host header includes the port unless it is the default one', () => {
  const to = { hostname: 'hooks.example', path: '/a?b=c' };
  const rest = 'Connection: keep-alive\r\n';
  expect(openingOf({ ...to, port: 443 })).toBe(`POST /a?b=c HTTP/1.1\r\nHost: hooks.example\r\n${rest}`);
  expect(openingOf({ ...to, port: 8443 })).toBe(`POST /a?b=c HTTP/1.1\r\nHost: hooks.example:8443\r\n${rest}`);
});

test('the content length counts bytes, not characters', () => {
  const body = '{"name":"Zoë 🚚"}';
  const request = toWireRequest('POST / HTTP/1.1\r\n', { headers: { 'X-A': 'b' }, body });
  expect(request).toEqual({ head: 'POST / HTTP/1.1\r\nX-A: b\r\nContent-Length: 20\r\n\r\n', body, isAscii: false });
  expect(toWireRequest('', { headers: {}, body: Buffer.from(body) })?.head).toBe('Content-Length: 20\r\n\r\n');
});

test('only a body with one byte per character is marked as ASCII', () => {
  const isAscii = (body: string | Uint8Array) => toWireRequest('', { headers: {}, body })?.isAscii;
  expect([isAscii('{"name":"Zoe"}'), isAscii('{"name":"Zo\u00eb"}'), isAscii('\ud800'), isAscii('')]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

test.each(['a\r\nb: c', 'a\nb', 'a\0', 'ü', '\u007f'])(
  'a header value that would break the request is rejected: %j',
  (value) => {
    expect(toWireRequest('', { headers: { 'X-A': value }, body: '' })).toBeNull();
    expect(toWireRequest('', { headers: { [value]: 'a' }, body: '' })).toBeNull();
  },
);
