// Mistakes that the simulation must detect. Each is a plausible programming error; a run with one of them must report a
// violation, or the simulation proves nothing.

import type { Focus } from './scenario.ts';

export const MISTAKES = {
  'results-without-lease': 'a result counts although the lease is lost and the attempt is not the next one',
  'no-freshness': 'a node goes on sending however long ago it was last seen alive',
  'dead-kept': 'what a dead node held is never freed',
  'gone-is-dead': 'a node whose connection is gone is declared dead while it may still be sending',
  'no-sweep': 'what a lost answer left behind is never found',
  'early-retry': 'a retry comes 20 seconds before its time',
  'ladder-restarts': 'the wait does not grow with the failures',
  overtaking: 'a later event may be claimed before an earlier one that was never attempted',
  'births-unchecked': 'a new delivery is sent from memory although an earlier one of its order waits elsewhere',
  'claim-of-shared-orders': 'an order is claimed although another node has some of it under way',
  'held-forgotten': 'what was held while its endpoint was closed is not released',
  'clock-awaited': 'what was due when the clock was set back waits until it has caught up',
  'ladder-dropped': 'when the clock is set back, everything that waits becomes due at once',
  'lost-failures': 'a failed attempt whose record was lost with its lease is repeated at once',
  'one-crowd': 'endpoints do not take turns: one that hangs may use everything there is',
} as const;

export type Mistake = keyof typeof MISTAKES;

/** Mistakes that only certain faults or receiver behaviors reveal. */
export const FOCUS: Partial<Record<Mistake, Focus>> = {
  'gone-is-dead': { faultKinds: ['cut'], behaviours: ['slow', 'late'] },
  overtaking: { faultKinds: ['clock', 'close'] },
  'clock-awaited': { faultKinds: ['clock'] },
  'lost-failures': { faultKinds: ['kill', 'freeze', 'outage'], behaviours: ['failing', 'hanging'] },
  'ladder-dropped': { faultKinds: ['clock'], behaviours: ['failing'] },
};
