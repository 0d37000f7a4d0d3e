// The proof that the checks can fail: runs with something broken on purpose, and histories that were tampered with.
import type { Damage } from '../test/helpers/damage.ts';
import { conclude, onStage, runFault, type CampaignOptions, type FaultKey } from './campaign.ts';
import type { Evidence } from './evidence.ts';
import type { Fault } from './fault.ts';
import { cutClients, cutDatabase } from './faults/cut-connections.ts';
import { killNodes } from './faults/kill-nodes.ts';
import { killPostgres } from './faults/kill-postgres.ts';
import { rollingRestart } from './faults/rolling-restart.ts';
import { checkAll, type Invariant } from './invariants.ts';

export interface ControlResult {
  what: string;
  invariant: Invariant;
  isCaught: boolean;
}

interface Control {
  what: string;
  broken: { damage: Damage } | { splitForMs: number };
  fault: { key: FaultKey; fault: Fault };
  invariant: Invariant;
}

const KILL_NODES = { key: 'kill-nodes', fault: killNodes } as const;
const KILL_POSTGRES = { key: 'kill-postgres', fault: killPostgres } as const;
const CUT_DATABASE = { key: 'cut-database', fault: cutDatabase } as const;
const CUT_CLIENTS = { key: 'cut-clients', fault: cutClients } as const;
const ROLLING = { key: 'rolling-restart', fault: rollingRestart } as const;

const CONTROLS: readonly Control[] = [
  {
    what: 'orders and events committed apart, nodes killed in between',
    broken: { splitForMs: 400 },
    fault: KILL_NODES,
    invariant: 'versions have no gap',
  },
  {
    what: 'deliveries counted as made without being sent, PostgreSQL killed',
    broken: { damage: 'unsent' },
    fault: KILL_POSTGRES,
    invariant: 'each event reached a 2xx or is due',
  },
  {
    what: 'webhooks of states that were never committed, lines to PostgreSQL cut',
    broken: { damage: 'invented' },
    fault: CUT_DATABASE,
    invariant: 'nothing was sent that is not committed',
  },
  {
    what: 'other bytes on each attempt, rolling restart',
    broken: { damage: 'altered' },
    fault: ROLLING,
    invariant: 'every attempt has the same bytes',
  },
  {
    what: 'signatures over other bytes, lines of clients cut',
    broken: { damage: 'forged' },
    fault: CUT_CLIENTS,
    invariant: 'every signature is valid',
  },
  {
    what: 'retries 50 seconds early, rolling restart',
    broken: { damage: 'early' },
    fault: ROLLING,
    invariant: 'no attempt is early',
  },
  {
    what: 'webhooks at the wrong door, lines of clients cut',
    broken: { damage: 'stray' },
    fault: CUT_CLIENTS,
    invariant: 'receivers see only their own',
  },
];

const KILLS = 6;

export async function runControls(options: Omit<CampaignOptions, 'only' | 'kills'>): Promise<ControlResult[]> {
  const results: ControlResult[] = [];
  for (const { what, broken, fault, invariant } of CONTROLS) {
    const task = { ...options, kills: KILLS, onProgress: (text: string) => options.onProgress(`control: ${text}`) };
    await onStage({ seed: options.seed, ...broken }, async (stage) => {
      await runFault(stage, { ...fault, options: task });
      const { findings } = await conclude(stage, task);
      results.push({ what, invariant, isCaught: (findings.get(invariant) ?? []).length > 0 });
    });
  }
  return results;
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
    what: 'an order goes back to where it was',
    invariant: 'every transition is legal',
    tamper: (evidence) => ({
      ...evidence,
      events: evidence.events.map((event) => ({ ...event, from: event.to, to: event.from })),
    }),
  },
  {
    what: 'a node crashed',
    invariant: 'no node ends by itself',
    tamper: (evidence) => ({ ...evidence, crashes: ['node 0 ended by itself'] }),
  },
  {
    what: 'everything arrived in the opposite order',
    invariant: 'first attempts are in order',
    tamper: (evidence) => ({ ...evidence, arrivals: evidence.arrivals.toReversed() }),
  },
  {
    what: 'the answers of the receivers are lost',
    invariant: 'each event reached a 2xx or is due',
    tamper: (evidence) => ({
      ...evidence,
      arrivals: evidence.arrivals.map((arrival) => ({ ...arrival, status: 500 })),
    }),
  },
];

/** The same checks over what a good run left behind, changed a little. */
export function runTamperings(evidence: Evidence): ControlResult[] {
  return TAMPERINGS.map(({ what, invariant, tamper }) => ({
    what,
    invariant,
    isCaught: (checkAll(tamper(evidence)).get(invariant) ?? []).length > 0,
  }));
}
