// Checks that nothing was lost by comparing acknowledgments, the database, the events feed and what receivers saw. Uses
// the same invariants as `npm run chaos`.
import { isSuccess, type Arrival, type Evidence } from '../../harness/evidence/evidence.ts';
import { checkAll } from '../../harness/evidence/invariants.ts';
import type { FeedEntry } from '../run/feed.ts';

export interface Check {
  name: string;
  /** One sentence per violation; empty if the check passed. */
  found: string[];
}

export interface CheckInput {
  /** The integrator's ids of all the day's orders. */
  orderIds: readonly string[];
  evidence: Evidence;
  feed: readonly FeedEntry[];
}

export function checkNothingLost(input: CheckInput): Check[] {
  const { evidence } = input;
  return [
    { name: 'every order of the day was acknowledged', found: findUnplaced(input) },
    { name: 'every order is delivered or canceled', found: findUnfinished(evidence) },
    ...[...checkAll(evidence)].map(([name, found]) => ({ name, found })),
    { name: 'every event got a 2xx', found: findWaiting(evidence) },
    { name: 'each receiver got exactly the events of the feed', found: compareWithFeed(input) },
  ];
}

function findUnplaced({ orderIds, evidence }: CheckInput): string[] {
  const placed = new Set(evidence.clients.flatMap((line) => (line.kind === 'placed' ? [line.orderId] : [])));
  return orderIds.filter((orderId) => !placed.has(orderId)).map((orderId) => `order ${orderId} was never acknowledged`);
}

function findUnfinished({ orders }: Evidence): string[] {
  return orders
    .filter(({ state }) => state !== 'DELIVERED' && state !== 'CANCELED')
    .map(({ providerOrderId, state }) => `order ${providerOrderId} is still ${state}`);
}

function findWaiting({ events }: Evidence): string[] {
  return events
    .filter(({ isQueued }) => isQueued)
    .map(({ orderId, version }) => `version ${version} of order ${orderId} is still pending`);
}

function compareWithFeed({ evidence, feed }: CheckInput): string[] {
  const keyOf = ({ receiver, body }: Pick<Arrival, 'receiver' | 'body'>): string => `${receiver} ${body}`;
  const seen = new Set(evidence.arrivals.filter(isSuccess).map(keyOf));
  const inFeed = new Set(feed.map(keyOf));
  return [
    ...[...inFeed].filter((key) => !seen.has(key)).map((key) => `in the feed but never received: ${key}`),
    ...[...seen].filter((key) => !inFeed.has(key)).map((key) => `received but not in the feed: ${key}`),
  ];
}
