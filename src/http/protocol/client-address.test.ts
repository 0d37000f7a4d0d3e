import { expect, test } from 'vitest';
import { silentLog, type LogLine } from '../../platform.ts';
import { createClientAddressReader, networkOf } from './client-address.ts';

function createReader(trustedProxies: string[] = ['127.0.0.1', '10.0.0.0/8', 'fd00::/8']) {
  const warnings: LogLine[] = [];
  const log = { ...silentLog, warn: (line: LogLine) => void warnings.push(line) };
  const read = createClientAddressReader({ trustedProxies, log });
  const clientOf = (lines: { forwardedFor?: string[]; forwarded?: string[] }, peer: string | undefined = '127.0.0.1') =>
    read(peer, { forwardedFor: lines.forwardedFor ?? [], forwarded: lines.forwarded ?? [] });
  return { clientOf, warnings };
}

test('without forwarded headers the client is the peer, in canonical form', () => {
  const { clientOf } = createReader();
  expect(clientOf({}, '192.0.2.1')).toBe('192.0.2.1');
  expect(clientOf({}, '::ffff:192.0.2.1')).toBe('192.0.2.1');
  expect(clientOf({}, '2001:DB8:0::1')).toBe('2001:db8::1');
  expect(createReader().clientOf({ forwardedFor: [''] })).toBe('127.0.0.1');
});

test('a peer that disconnected before its address was read is unknown', () => {
  const read = createClientAddressReader({ trustedProxies: ['127.0.0.1'], log: silentLog });
  expect(read(undefined, { forwardedFor: ['192.0.2.1'], forwarded: [] })).toBe('unknown');
});

test('forwarded headers from an untrusted peer are ignored and reported once', () => {
  const { clientOf, warnings } = createReader();
  for (let request = 0; request < 3; request += 1) {
    expect(clientOf({ forwardedFor: ['192.0.2.9'] }, '192.0.2.1')).toBe('192.0.2.1');
    expect(clientOf({ forwarded: ['for=192.0.2.9'] }, '::ffff:192.0.2.1')).toBe('192.0.2.1');
  }
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatchObject({ event: 'proxy.not_trusted' });
  expect(warnings[0]?.['message']).toContain('add it to WAYBILL_TRUSTED_PROXIES');
  // The control: without trusted proxies, headers are ignored even from the loopback address.
  expect(createReader([]).clientOf({ forwardedFor: ['192.0.2.9'] })).toBe('127.0.0.1');
});

test.each<[string, string[], string]>([
  ['one address', ['192.0.2.1'], '192.0.2.1'],
  ['the nearest, not what the client claimed', ['198.51.100.1, 192.0.2.1'], '192.0.2.1'],
  ['trusted proxies in between are skipped', ['198.51.100.1, 192.0.2.1, 10.1.2.3, fd00::5'], '192.0.2.1'],
  ['lines are one list', ['198.51.100.1', '192.0.2.1', '10.0.0.1'], '192.0.2.1'],
  ['with a port', ['192.0.2.1:4711'], '192.0.2.1'],
  ['IPv6', ['2001:DB8::0:1'], '2001:db8::1'],
  ['IPv6 in brackets with a port', ['[2001:db8::1]:443'], '2001:db8::1'],
  ['IPv4 inside IPv6', ['::ffff:192.0.2.1'], '192.0.2.1'],
  ['all of them trusted: the farthest', ['10.0.0.9, 10.0.0.1'], '10.0.0.9'],
  ['a hop that cannot be read: the proxy that reported it', ['192.0.2.1, unknown, 10.0.0.1'], '10.0.0.1'],
  ['nothing that can be read: the peer', ['192.0.2.1, garbage'], '127.0.0.1'],
  ['an empty hop', ['192.0.2.1,'], '127.0.0.1'],
  ['a zone', ['fe80::1%eth0'], '127.0.0.1'],
  ['a shortened address', ['127.1'], '127.0.0.1'],
  ['an IPv4 address in brackets', ['[192.0.2.1]'], '127.0.0.1'],
])('X-Forwarded-For: %s', (_, forwardedFor, client) => {
  expect(createReader().clientOf({ forwardedFor })).toBe(client);
});

test.each<[string, string[], string]>([
  ['one address', ['for=192.0.2.1'], '192.0.2.1'],
  ['with other parameters, in any case', ['by=10.0.0.1; FOR=192.0.2.1;proto=https'], '192.0.2.1'],
  ['the nearest of several', ['for=198.51.100.1, for=192.0.2.1;proto=http, for="10.0.0.3:80"'], '192.0.2.1'],
  ['quoted IPv6 with a port', ['for="[2001:db8:cafe::17]:4711"'], '2001:db8:cafe::17'],
  ['quoted IPv6', ['For="[2001:db8::1]"'], '2001:db8::1'],
  ['an escaped character in quotes', [String.raw`for="\192.0.2.1"`], '192.0.2.1'],
  ['delimiters inside quotes', ['host="a,for=1.1.1.1;b";for=192.0.2.1'], '192.0.2.1'],
  ['an obfuscated port', ['for="192.0.2.1:_p"'], '192.0.2.1'],
  ['unknown', ['for=198.51.100.1, for=unknown'], '127.0.0.1'],
  ['an obfuscated identifier', ['for=_hidden, for=10.0.0.1'], '10.0.0.1'],
  ['no address in the element', ['for=198.51.100.1, proto=https'], '127.0.0.1'],
  ['two addresses in one element', ['for=198.51.100.1;for=192.0.2.1'], '127.0.0.1'],
  ['broken syntax', ['for="192.0.2.1'], '127.0.0.1'],
  ['an open quote in front of what a proxy appended', ['for=198.51.100.1;x=", for="[2001:db8::1]"'], '127.0.0.1'],
  ['an open quote in a line of its own', ['for=198.51.100.1;x="', 'for=192.0.2.1'], '192.0.2.1'],
])('Forwarded: %s', (_, forwarded, client) => {
  expect(createReader().clientOf({ forwarded })).toBe(client);
});

test('two headers that agree are trusted, and two that disagree are not', () => {
  const { clientOf, warnings } = createReader();
  expect(clientOf({ forwardedFor: ['192.0.2.1'], forwarded: ['for=192.0.2.1'] })).toBe('192.0.2.1');
  expect(warnings).toEqual([]);
  expect(clientOf({ forwardedFor: ['192.0.2.1'], forwarded: ['for=198.51.100.1'] })).toBe('127.0.0.1');
  expect(clientOf({ forwardedFor: ['198.51.100.1'], forwarded: ['for=unknown'] })).toBe('127.0.0.1');
  expect(warnings.map(({ event }) => event)).toEqual(['proxy.headers_disagree']);
});

test('an IPv6 network counts as one client for every limit', () => {
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:db8:1:2::1'));
  expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
  expect(networkOf('2001:db8::1')).toBe('2001:db8:0:0');
  expect(networkOf('::ffff:192.0.2.1')).toBe('192.0.2.1');
  expect(networkOf('192.0.2.1')).toBe('192.0.2.1');
  expect(networkOf('unknown')).toBe('unknown');
});
