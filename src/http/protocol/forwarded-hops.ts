// Reads the chain of addresses that proxies report, as X-Forwarded-For (a list) or Forwarded (RFC 7239). Each header
// line is read on its own, so that broken syntax in a line that a client sent cannot swallow the line a proxy added.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Null: the proxy did not say, or said something that is not an address (`unknown`, `_hidden`, broken syntax). */
export type Hop = string | null;

/** From the farthest hop to the nearest. */
export function readForwardedFor(lines: readonly string[]): Hop[] {
  return lines.filter((line) => line.trim() !== '').flatMap((line) => line.split(',').map(readNode));
}

/** From the farthest hop to the nearest. */
export function readForwarded(lines: readonly string[]): Hop[] {
  return lines.filter((line) => line.trim() !== '').flatMap((line) => readElements(line) ?? [null]);
}

const PAIR = /[ \t]*([\w!#$%&'*+.^`|~-]+)=("(?:[^"\\]|\\.)*"|[^\s",;]+)[ \t]*([,;]|$)/y;

/** One hop for each element of the line; undefined when the line does not follow the grammar. */
function readElements(line: string): Hop[] | undefined {
  const hops: Hop[] = [];
  let addresses: Hop[] = [];
  PAIR.lastIndex = 0;
  for (;;) {
    const [, name, value = '', delimiter] = PAIR.exec(line) ?? [];
    if (name === undefined) return undefined;
    if (name.toLowerCase() === 'for') addresses.push(readNode(unquote(value)));
    if (delimiter === ';') continue;
    // An element with no address, or with two, doesn't say where the request came from.
    hops.push(addresses.length === 1 ? (addresses[0] ?? null) : null);
    addresses = [];
    if (delimiter === '') return hops;
  }
}

function unquote(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;
}

/** An address, with or without a port: `192.0.2.1:80`, `[2001:db8::1]:80`, `2001:db8::1`. */
function readNode(text: string): Hop {
  const node = text.trim();
  const [, bracketed, withPort] = /^(?:\[([^\]]+)\](?::\w+)?|([\d.]+):\w+)$/.exec(node) ?? [];
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? normalizeAddress(bracketed) : null;
  return normalizeAddress(withPort ?? node);
}

/** The canonical form of an address: lower case, shortened, and IPv4-mapped IPv6 as IPv4. */
export function normalizeAddress(text: string): Hop {
  const version = isIP(text);
  // Node accepts IPv4 only in its canonical form.
  if (version === 4) return text;
  // Node also accepts a zone (`fe80::1%eth0`), which means nothing on another machine.
  if (version === 0 || text.includes('%')) return null;
  return ipaddr.process(text).toString();
}
