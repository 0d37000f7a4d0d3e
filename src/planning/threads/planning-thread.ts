// The thread that makes plans, so that the API never waits for one. It keeps the state of its areas and the travel
// times it has learned; a replacement thread has to get both again.
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../platform.ts';
import { AreaDesk } from '../areas/area-state.ts';
import type { AreaAnswer, AreaQuestion } from '../areas/updates.ts';
import type { CourierQuote, QuoteRequest } from '../areas/plan-request.ts';
import { openProvider, type ProviderSettings } from '../travel/provider.ts';
import { createBreath } from './yield-point.ts';
import { quote, solve, type SolveTools } from './solve.ts';
import { TravelBook } from '../travel/travel-time-cache.ts';

export type ThreadTask =
  | { kind: 'plan'; areaId: string; question: AreaQuestion }
  | { kind: 'quote'; request: QuoteRequest };
export type ThreadQuestion = { number: number } & ThreadTask;
/** Gets no answer. */
export type ThreadOrder = { kind: 'forget'; areaId: string };

export type ThreadMessage =
  | { kind: 'planned'; number: number; answer: AreaAnswer; durationMs: number }
  | { kind: 'quoted'; number: number; quotes: CourierQuote[] }
  | { kind: 'failure'; number: number; reason: string }
  /** Travel times have improved: the next plan may differ. */
  | { kind: 'learnt' }
  | { kind: 'provider_failed'; reason: string };

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a thread');
const settings: ProviderSettings = workerData;
const monotonicMs = (): number => systemClock.monotonicMs();
const tell = (message: ThreadMessage): void => port.postMessage(message);

const breathe = createBreath({ monotonicMs });
const desks = new Map<string, AreaDesk>();
const travelBook = new TravelBook({
  monotonicMs,
  breathe,
  provider: await openProvider(settings),
  onLearnt: () => {
    for (const desk of desks.values()) desk.noteNewRides();
    tell({ kind: 'learnt' });
  },
  onFailure: (reason) => tell({ kind: 'provider_failed', reason }),
});

const tools: SolveTools = { travelBook, monotonicMs, breathe };

function answer(asked: ThreadQuestion): ThreadMessage {
  const { number } = asked;
  if (asked.kind === 'quote') return { kind: 'quoted', number, quotes: quote(asked.request, tools) };
  const { areaId, question } = asked;
  const startedMs = monotonicMs();
  if (question.restaurants !== null) desks.set(areaId, new AreaDesk(question.restaurants, breathe));
  const desk = desks.get(areaId);
  if (desk === undefined) throw new Error('the thread is a new one and knows nothing of the area');
  const planned = desk.answer(question, (request, effort) => solve(request, effort, tools));
  return { kind: 'planned', number, answer: planned, durationMs: Math.round(monotonicMs() - startedMs) };
}

port.on('message', (question: ThreadQuestion | ThreadOrder) => {
  if (question.kind === 'forget') return void desks.delete(question.areaId);
  const { number } = question;
  try {
    tell(answer(question));
  } catch (error) {
    tell({ kind: 'failure', number, reason: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
