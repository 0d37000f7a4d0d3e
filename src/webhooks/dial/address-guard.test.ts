import { networkInterfaces } from 'node:os';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../platform.ts';
import { createAddressGuard, isPublic, parseCidr } from './address-guard.ts';

const guard = createAddressGuard({ allowCidrs: [], clock: systemClock, ownAddresses: () => ['93.184.216.35'] });

function opened(...allowCidrs: string[]) {
  return createAddressGuard({ allowCidrs, clock: systemClock, ownAddresses: () => ['10.1.2.3', '93.184.216.35'] });
}

describe('with no network allowed', () => {
  test.each(['93.184.216.34', '8.8.8.8', '1.1.1.1', '168.63.129.17', '2606:4700::1111', '2a00:1450:4001::1'])(
    'the public address %s is allowed, but not for a special name',
    (address) => {
      expect(guard.allows(address, false)).toBe(true);
      expect(guard.allows(address, true)).toBe(false);
      expect(isPublic(address)).toBe(true);
    },
  );

  const closed = `
    0.0.0.0 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.255 168.63.129.16 169.254.169.254
    172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1
    203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 93.184.216.35
    :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:93.184.216.34 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1
    2001:db8::1 2001:10::1 2002:7f00:1::1 3ffe::1 3fff::1 2620:4f:8000::1 fc00::1 fd00:ec2::254 fe80::1
    fe80::1%eth0 fec0::1 ff02::1 5f00::1 4000::1 2606:4700::5efe:10.0.0.1 2606:4700::200:5efe:a00:1
  `;
  test.each(closed.trim().split(/\s+/))('%s is refused', (address) => {
    expect(guard.allows(address, false)).toBe(false);
  });

  test.each(['', 'localhost', '2130706433', '0x7f.1', '127.1', '0177.0.0.1', '8.8.8', '8.8.8.8 ', '[2606:4700::1]'])(
    'what is no plain address is refused: "%s"',
    (text) => {
      expect(guard.allows(text, false)).toBe(false);
    },
  );

  test('every IPv4 address embedded in an IPv6 address is rejected in that form', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const bytes = address.split('.').map(Number);
        const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
        const groups = `${hex.slice(0, 4)}:${hex.slice(4)}`;
        const hiding = [
          `::ffff:${address}`,
          `::${address}`,
          `::ffff:0:${groups}`,
          `64:ff9b::${groups}`,
          `2002:${groups}::1`,
          `2001:0:${groups}::1`,
        ];
        expect(hiding.filter((text) => guard.allows(text, false))).toEqual([]);
      }),
    );
  });

  test('no IPv6 address outside 2000::/3 is allowed', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const first = Number.parseInt(/^([0-9a-f]+):/i.exec(address)?.[1] ?? '0', 16);
        fc.pre(first < 0x2000 || first > 0x3fff);
        expect(guard.allows(address, false)).toBe(false);
      }),
    );
  });
});

describe('with a network allowed', () => {
  test('exactly its own addresses are allowed, including for special names', () => {
    const some = opened('10.1.2.0/24', 'fd00:1::/64');
    expect(some.allows('10.1.2.3', true)).toBe(true);
    expect(some.allows('10.1.2.255', false)).toBe(true);
    expect(some.allows('fd00:1::5', true)).toBe(true);
    const neighbors = ['10.1.1.255', '10.1.3.0', '127.0.0.1', 'fd00:1:0:1::5', '::ffff:10.1.2.3'];
    expect(neighbors.filter((address) => some.allows(address, false))).toEqual([]);
    expect(some.allows('93.184.216.34', true)).toBe(false);
    expect(some.allows('93.184.216.35', false)).toBe(false);
  });

  test('an address is inside a network exactly when their prefix bits are equal', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 }), (network, address, bits) => {
        const toNumber = (text: string): number => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
        const isInside =
          Math.floor(toNumber(network) / 2 ** (32 - bits)) === Math.floor(toNumber(address) / 2 ** (32 - bits));
        expect(opened(`${network}/${bits}`).allows(address, true)).toBe(isInside);
      }),
    );
  });

  test.each([
    '10.0.0.0',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0/8',
    '0x0a.0.0.0/8',
    'fd00::/129',
    'all',
    '10.0.0.0/-1',
  ])('"%s" is no network and stops the start', (text) => {
    expect(() => parseCidr(text)).toThrow(/not a network/);
  });
});

test('the machine’s own addresses are rejected', () => {
  const real = createAddressGuard({ allowCidrs: [], clock: systemClock });
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  expect(own.length).toBeGreaterThan(0);
  expect(own.filter(({ address }) => real.allows(address, false))).toEqual([]);
});
