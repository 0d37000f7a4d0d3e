// The invariants of every run, each with the check that finds violations.
import { findAlteredBytes, findForgeries, findInventions, findLostEvents, findStrays } from './arrivals.ts';
import { findLostChanges, findLostOrders } from './orders.ts';
import { findRepeatedByOrderlyStops, findSentAfterSuccess } from './repeats.ts';
import { findEarlyAttempts, findOvertakings } from './sequence.ts';
import { findGaps, findIllegalTransitions } from './transitions.ts';
import type { Evidence } from './evidence.ts';

export const INVARIANTS = {
  'each acknowledged order exists once': findLostOrders,
  'each acknowledged change happened': findLostChanges,
  'versions have no gap': findGaps,
  'every transition is legal': findIllegalTransitions,
  'each event reached a 2xx or is due': findLostEvents,
  'only committed events are sent': findInventions,
  'every attempt has the same bytes': findAlteredBytes,
  'every signature is valid': findForgeries,
  'no attempt is early': findEarlyAttempts,
  'first attempts are in order': findOvertakings,
  'nothing is resent after a recorded success': findSentAfterSuccess,
  'a graceful stop repeats nothing': findRepeatedByOrderlyStops,
  'healthy receivers get everything in time': ({ isDrained }) =>
    isDrained ? [] : ['webhooks to a healthy receiver still waited long after the last fault'],
  'receivers get only their own webhooks': findStrays,
  'no node crashes': ({ crashes }) => [...crashes],
} as const satisfies Record<string, (evidence: Evidence) => string[]>;

export type Invariant = keyof typeof INVARIANTS;

export type Findings = Map<Invariant, string[]>;

export function checkAll(evidence: Evidence): Findings {
  const names = Object.keys(INVARIANTS) as Invariant[];
  return new Map(names.map((name) => [name, INVARIANTS[name](evidence)]));
}
