// Proves without extra runs that every check can fail: the evidence of a good run is altered slightly.
import type { Arrival, Evidence } from './evidence.ts';
import { checkAll, type Invariant } from './invariants.ts';

/** A mistake made on purpose, and whether the check noticed it. */
export interface ControlResult<Check extends string = Invariant> {
  what: string;
  /** The check that must notice it. */
  invariant: Check;
  isCaught: boolean;
  /** Why the control could not run. */
  obstacle?: string;
}

interface Tampering {
  what: string;
  invariant: Invariant;
  tamper(evidence: Evidence): Evidence;
}

const TAMPERINGS: readonly Tampering[] = [
  {
    what: 'an acknowledged order is missing',
    invariant: 'each acknowledged order exists once',
    tamper: (evidence) => {
      const placed = evidence.clients.find((line) => line.kind === 'placed');
      return { ...evidence, orders: evidence.orders.filter((order) => order.id !== placed?.serviceOrderId) };
    },
  },
  {
    what: 'an order exists twice',
    invariant: 'each acknowledged order exists once',
    tamper: (evidence) => ({
      ...evidence,
      orders: [...evidence.orders, ...evidence.orders.map((order) => ({ ...order, id: `${order.id}-again` }))],
    }),
  },
  {
    what: 'the first event of each order is missing',
    invariant: 'versions have no gap',
    tamper: (evidence) => ({ ...evidence, events: evidence.events.filter(({ version }) => version !== 1) }),
  },
  {
    what: 'an acknowledged change is missing',
    invariant: 'each acknowledged change happened',
    tamper: (evidence) => {
      const changed = evidence.clients.findLast((line) => line.kind === 'changed');
      return {
        ...evidence,
        events: evidence.events.filter(({ orderId, to }) => orderId !== changed?.serviceOrderId || to !== changed.to),
      };
    },
  },
  {
    what: 'an order returns to an earlier state',
    invariant: 'every transition is legal',
    tamper: (evidence) => ({
      ...evidence,
      events: evidence.events.map((event) => ({ ...event, from: event.to, to: event.from })),
    }),
  },
  {
    what: 'a node crashed',
    invariant: 'no node crashes',
    tamper: (evidence) => ({ ...evidence, crashes: ['node 0 crashed'] }),
  },
  {
    what: 'all webhooks arrived in reverse order',
    invariant: 'first attempts are in order',
    tamper: (evidence) => ({ ...evidence, arrivals: evidence.arrivals.toReversed() }),
  },
  {
    what: 'all webhooks were sent twice',
    invariant: 'nothing is resent after a recorded success',
    tamper: (evidence) => ({ ...evidence, arrivals: repeatAll(evidence) }),
  },
  {
    what: 'all webhooks were sent twice after graceful stops',
    invariant: 'a graceful stop repeats nothing',
    tamper: (evidence) => ({
      ...evidence,
      arrivals: repeatAll(evidence),
      orderlyStops: [{ from: 0, to: Number.POSITIVE_INFINITY }],
    }),
  },
  {
    what: 'a delivery is still pending',
    invariant: 'healthy receivers get everything in time',
    tamper: (evidence) => ({ ...evidence, isDrained: false }),
  },
  {
    what: 'all receivers responded with an error',
    invariant: 'each event reached a 2xx or is due',
    tamper: (evidence) => alterArrivals(evidence, () => ({ status: 500 })),
  },
  {
    what: 'webhooks have different content',
    invariant: 'only committed events are sent',
    tamper: (evidence) =>
      alterArrivals(evidence, ({ body }) => ({ body: body.replace('"timestamp":"2', '"timestamp":"1') })),
  },
  {
    what: 'all webhooks were repeated with different bytes',
    invariant: 'every attempt has the same bytes',
    tamper: (evidence) => ({
      ...evidence,
      arrivals: [...evidence.arrivals, ...alterArrivals(evidence, ({ body }) => ({ body: `${body} ` })).arrivals],
    }),
  },
  {
    what: 'signatures are invalid',
    invariant: 'every signature is valid',
    tamper: (evidence) => alterArrivals(evidence, () => ({ signature: '0'.repeat(64) })),
  },
  {
    what: 'all attempts failed and were repeated immediately',
    invariant: 'no attempt is early',
    tamper: (evidence) => ({
      ...evidence,
      events: evidence.events.map((event) => ({ ...event, attempts: 2 * event.attempts })),
      arrivals: evidence.arrivals.flatMap((arrival) => [
        { ...arrival, status: 500 },
        { ...arrival, at: arrival.at + 1 },
      ]),
    }),
  },
  {
    what: 'all webhooks reached another receiver',
    invariant: 'receivers get only their own webhooks',
    tamper: (evidence) =>
      alterArrivals(evidence, ({ receiver }) => ({
        receiver: evidence.receivers.find(({ name }) => name !== receiver)?.name ?? '',
      })),
  },
];

function alterArrivals(evidence: Evidence, alter: (arrival: Arrival) => Partial<Arrival>): Evidence {
  return { ...evidence, arrivals: evidence.arrivals.map((arrival) => ({ ...arrival, ...alter(arrival) })) };
}

/** Repeats all arrivals an hour later. */
function repeatAll({ arrivals }: Evidence): Arrival[] {
  const again = arrivals.map((arrival) => ({ ...arrival, at: arrival.at + 3_600_000 }));
  return [...arrivals, ...again];
}

/** Runs the same checks on each altered copy of the evidence. */
export function runTamperings(evidence: Evidence): ControlResult[] {
  return TAMPERINGS.map(({ what, invariant, tamper }) => ({
    what,
    invariant,
    isCaught: (checkAll(tamper(evidence)).get(invariant) ?? []).length > 0,
  }));
}
