// Which addresses a webhook may reach: public ones, and the networks that the operator has opened explicitly.
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import type { Clock } from '../../platform.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

// IANA's special-purpose registry, and addresses reachable only from inside a cloud. `ipaddr.js` knows most of them
// under other names; one table that can be compared with the registry is safer than its notion of "unicast".
const CLOSED_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT, and Alibaba's metadata service
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's wire server, a public address that only a guest can reach
  '169.254.0.0/16', // link-local, and most metadata services
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments, and Oracle's metadata service
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // automatic multicast tunneling
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
].map(parseCidr);

/** All that IANA has ever allocated for the Internet; mapped, NAT64 and unique local addresses lie outside it. */
const GLOBAL_IPV6 = parseCidr('2000::/3');

const CLOSED_IPV6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which embeds an IPv4 address
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // 6bone, given back
  '3fff::/20', // documentation
].map(parseCidr);

/** How long the list of the machine's own addresses is cached. */
const OWN_ADDRESSES_MS = 5000;

export interface AddressGuard {
  /** Whether this address may be dialed. A special name (see `isSpecialName`) needs an opened network. */
  allows(address: string, forSpecialName: boolean): boolean;
  /** False when no network is opened, so that a special name need not even be resolved. */
  readonly admitsSpecialNames: boolean;
}

export interface AddressGuardOptions {
  allowCidrs: readonly string[];
  clock: Clock;
  ownAddresses?: () => readonly string[];
}

export function createAddressGuard(options: AddressGuardOptions): AddressGuard {
  const { clock, ownAddresses = listOwnAddresses } = options;
  const opened = options.allowCidrs.map(parseCidr);
  let own = new Set<string>();
  let ownUntil = -Infinity;

  function isOwn(address: Address): boolean {
    const now = clock.monotonicMs();
    if (now >= ownUntil) {
      own = new Set(ownAddresses().flatMap((text) => parseAddress(text)?.toNormalizedString() ?? []));
      ownUntil = now + OWN_ADDRESSES_MS;
    }
    return own.has(address.toNormalizedString());
  }

  return {
    admitsSpecialNames: opened.length > 0,
    allows(text, forSpecialName) {
      const address = parseAddress(text);
      if (address === undefined) return false;
      if (isWithin(address, opened)) return true;
      return !forSpecialName && isPublicAddress(address) && !isOwn(address);
    },
  };
}

/** Whether the address is public, regardless of which networks are opened here. */
export function isPublic(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && isPublicAddress(address);
}

/** Accepts only `address/bits` with a plain address and throws otherwise: a misread setting could open too much. */
export function parseCidr(text: string): Network {
  const [host = '', bits = '', ...rest] = text.trim().split('/');
  const address = parseAddress(host);
  const length = /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (address === undefined || rest.length > 0 || !(length <= (address.kind() === 'ipv4' ? 32 : 128))) {
    throw new Error(`"${text}" is not a network such as 10.1.0.0/16 or fd00:1::/32`);
  }
  return [address, length];
}

// Accepts only the spellings that the operating system and the resolver produce: `ipaddr.js` alone would also accept
// octal, hexadecimal and shortened forms.
function parseAddress(text: string): Address | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  return ipaddr.parse(text);
}

function isPublicAddress(address: Address): boolean {
  if (address.kind() === 'ipv4') return !isWithin(address, CLOSED_IPV4);
  return isWithin(address, [GLOBAL_IPV6]) && !isWithin(address, CLOSED_IPV6) && !isIsatap(address);
}

/** ISATAP hides an IPv4 address behind the interface identifier `0000:5efe` or `0200:5efe` of any prefix. */
function isIsatap(address: Address): boolean {
  const bytes = address.toByteArray();
  return (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}

function isWithin(address: Address, networks: readonly Network[]): boolean {
  return networks.some(([network, bits]) => network.kind() === address.kind() && matches(address, network, bits));
}

function matches(address: Address, network: Address, bits: number): boolean {
  const left = address.toByteArray();
  const right = network.toByteArray();
  const whole = bits >> 3;
  for (let index = 0; index < whole; index += 1) if (left[index] !== right[index]) return false;
  const shift = 8 - (bits & 7);
  return shift === 8 || (left[whole] ?? 0) >> shift === (right[whole] ?? 0) >> shift;
}

function listOwnAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => entries?.map((entry) => entry.address) ?? []);
}
