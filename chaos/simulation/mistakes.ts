// Mistakes that the simulation must detect. Each is a plausible programming error; a run with one of them must report a
// violation, or the simulation proves nothing.

import type { Focus } from './scenario.ts';

export const MISTAKES = {
  'results-without-lease': 'a result counts although its lease was lost and the attempt is not the next one',
  'no-freshness': 'a node keeps sending without a recent heartbeat',
  'dead-kept': 'leases of a dead node are never freed',
  'gone-is-dead': 'a node that lost its connection is declared dead while it may still be sending',
  'no-sweep': 'deliveries left behind by a lost response are never found',
  'early-retry': 'a retry is sent 20 seconds early',
  'ladder-restarts': 'retry delays do not grow with the number of failures',
  overtaking: 'a later event may be claimed before an earlier one that was never attempted',
  'new-leases-unchecked':
    'a new delivery is sent from memory although an earlier one of its order is pending elsewhere',
  'claim-of-shared-orders': 'an order is claimed although another node is sending some of its deliveries',
  'held-forgotten': 'deliveries held while their endpoint was disabled are not released',
  'clock-awaited': 'deliveries due when the clock was set back wait until it has caught up',
  'ladder-dropped': 'all pending deliveries become due immediately after the clock is set back',
  'lost-failures': 'a failed attempt whose record was lost with its lease is repeated immediately',
  'one-crowd': 'endpoints do not take turns: one that hangs may use all capacity',
} as const;

export type Mistake = keyof typeof MISTAKES;

/** Mistakes that only certain faults or receiver behaviors reveal. */
export const FOCUS: Partial<Record<Mistake, Focus>> = {
  'gone-is-dead': { faultKinds: ['cut'], behaviors: ['slow', 'late'] },
  overtaking: { faultKinds: ['clock', 'close'] },
  'clock-awaited': { faultKinds: ['clock'] },
  'lost-failures': { faultKinds: ['kill', 'freeze', 'outage'], behaviors: ['failing', 'hanging'] },
  'ladder-dropped': { faultKinds: ['clock'], behaviors: ['failing'] },
};
