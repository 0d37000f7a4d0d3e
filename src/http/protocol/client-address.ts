// The one place that decides which address a request comes from. Limits, logs, sessions and the audit log use the result.
import { BlockList, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Log } from '../../platform.ts';
import { normalizeAddress, readForwarded, readForwardedFor, type Hop } from './forwarded-hops.ts';

/** Every line of the two headers, in the order in which they arrived. */
export interface ForwardedLines {
  forwardedFor: readonly string[];
  forwarded: readonly string[];
}

export type ReadClientAddress = (peer: string | undefined, lines: ForwardedLines) => string;

const UNKNOWN = 'unknown';

interface Options {
  /** Addresses and networks. */
  trustedProxies: readonly string[];
  log: Log;
}

export function createClientAddressReader({ trustedProxies, log }: Options): ReadClientAddress {
  const trusted = listNetworks(trustedProxies);
  const isTrusted = (address: string): boolean =>
    trustedProxies.length > 0 && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  const warnOfUntrustedPeer = warnOnce(log, 'proxy.not_trusted');
  const warnOfContradiction = warnOnce(log, 'proxy.headers_disagree');

  return (socketAddress, { forwardedFor, forwarded }) => {
    const peer = socketAddress === undefined ? null : normalizeAddress(socketAddress);
    if (peer === null) return socketAddress ?? UNKNOWN;
    if (forwardedFor.length === 0 && forwarded.length === 0) return peer;
    if (!isTrusted(peer)) {
      warnOfUntrustedPeer(
        `Requests from ${peer} carry X-Forwarded-For or Forwarded, which are ignored: if ${peer} is your proxy, ` +
          'add it to WAYBILL_TRUSTED_PROXIES, otherwise all its clients share one limit.',
      );
      return peer;
    }
    const chains = [readForwardedFor(forwardedFor), readForwarded(forwarded)].filter((chain) => chain.length > 0);
    const [client = peer, other = client] = chains.map((chain) => findClient(chain, peer, isTrusted));
    if (client === other) return client;
    // A proxy writes one of the two and forwards the other as the client sent it. We can't know which is which, so we
    // trust neither: contradictory requests share the proxy's own limit.
    warnOfContradiction(
      `Requests from ${peer} carry X-Forwarded-For and Forwarded that disagree, and neither is used: ` +
        'make the proxy remove the header that it does not write (WAYBILL_TRUSTED_PROXIES).',
    );
    return peer;
  };
}

/**
 * The first address from the right that is not a trusted proxy. An unreadable hop ends the search at the proxy that
 * reported it: nobody has verified the entries to its left.
 */
function findClient(chain: readonly Hop[], peer: string, isTrusted: (address: string) => boolean): string {
  let client = peer;
  for (const hop of chain.toReversed()) {
    if (hop === null) return client;
    client = hop;
    if (!isTrusted(hop)) return client;
  }
  return client;
}

function listNetworks(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = '', bits] = text.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function warnOnce(log: Log, event: string): (message: string) => void {
  let hasWarned = false;
  return (message) => {
    if (!hasWarned) log.warn({ event, message });
    hasWarned = true;
  };
}

/** The key for limits. A household or server has its own IPv6 /64, with more addresses than can be counted. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}
