// The thread in which plans are made, so that the API never waits for one. It keeps nothing but what it learnt about
// rides; whatever it does not know it is told with each request.
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../platform.ts';
import { packAnswer, unpackRequest, type PackedAnswer, type PackedRequest } from './packed-plan.ts';
import type { CourierQuote, QuoteRequest } from './plan-request.ts';
import { openProvider, type ProviderSettings } from './provider.ts';
import { quote, solve } from './solve.ts';
import { yieldToOthers } from './thread-priority.ts';
import { TravelBook } from './travel-book.ts';

export type ThreadTask = { kind: 'plan'; request: PackedRequest } | { kind: 'quote'; request: QuoteRequest };
export type ThreadQuestion = { number: number } & ThreadTask;

export type ThreadMessage =
  | { kind: 'planned'; number: number; answer: PackedAnswer; durationMs: number }
  | { kind: 'quoted'; number: number; quotes: CourierQuote[] }
  | { kind: 'failure'; number: number; reason: string }
  /** Rides are better known now: the next plan may be another. */
  | { kind: 'learnt' }
  | { kind: 'provider_failed'; reason: string };

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a thread');
const settings: ProviderSettings = workerData;
const monotonicMs = (): number => systemClock.monotonicMs();
const tell = (message: ThreadMessage): void =>
  port.postMessage(message, message.kind === 'planned' ? [message.answer.numbers.buffer] : []);

yieldToOthers();

const travelBook = new TravelBook({
  monotonicMs,
  provider: await openProvider(settings, (reason) => tell({ kind: 'provider_failed', reason })),
  onLearnt: () => tell({ kind: 'learnt' }),
  onFailure: (reason) => tell({ kind: 'provider_failed', reason }),
});

function answer(question: ThreadQuestion): ThreadMessage {
  const { number } = question;
  if (question.kind === 'quote') return { kind: 'quoted', number, quotes: quote(question.request, travelBook) };
  const startedMs = monotonicMs();
  const planned = packAnswer(solve(unpackRequest(question.request), { travelBook, monotonicMs }));
  return { kind: 'planned', number, answer: planned, durationMs: Math.round(monotonicMs() - startedMs) };
}

port.on('message', (question: ThreadQuestion) => {
  const { number } = question;
  try {
    tell(answer(question));
  } catch (error) {
    tell({ kind: 'failure', number, reason: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
