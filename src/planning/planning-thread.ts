// The thread in which plans are made, so that the API never waits for one. It keeps nothing but what it learnt about
// rides; whatever it does not know it is told with each request.
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../platform.ts';
import type { PlanAnswer, PlanRequest } from './plan-request.ts';
import { openProvider, type ProviderSettings } from './provider.ts';
import { solve } from './solve.ts';
import { TravelBook } from './travel-book.ts';

export interface ThreadQuestion {
  number: number;
  request: PlanRequest;
}

export type ThreadMessage =
  | { kind: 'answer'; number: number; answer: PlanAnswer; durationMs: number }
  | { kind: 'failure'; number: number; reason: string }
  /** Rides are better known now: the next plan may be another. */
  | { kind: 'learnt' }
  | { kind: 'provider_failed'; reason: string };

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a thread');
const settings: ProviderSettings = workerData;
const monotonicMs = (): number => systemClock.monotonicMs();
const tell = (message: ThreadMessage): void => port.postMessage(message);

const travelBook = new TravelBook({
  monotonicMs,
  provider: await openProvider(settings, (reason) => tell({ kind: 'provider_failed', reason })),
  onLearnt: () => tell({ kind: 'learnt' }),
  onFailure: (reason) => tell({ kind: 'provider_failed', reason }),
});

port.on('message', ({ number, request }: ThreadQuestion) => {
  const startedMs = monotonicMs();
  try {
    const answer = solve(request, { travelBook, monotonicMs });
    tell({ kind: 'answer', number, answer, durationMs: Math.round(monotonicMs() - startedMs) });
  } catch (error) {
    tell({ kind: 'failure', number, reason: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
