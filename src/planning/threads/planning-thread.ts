// The thread that makes plans, so that the API never waits for one. It keeps the state of its areas and the travel
// times it has learned; a replacement thread has to get both again.
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../platform.ts';
import { AreaPlanner } from '../areas/area-state.ts';
import type { AreaAnswer, AreaQuestion } from '../areas/updates.ts';
import type { CourierQuote, QuoteRequest } from '../areas/plan-request.ts';
import { openProvider, type ProviderSettings } from '../travel/provider.ts';
import { createYieldPoint } from './yield-point.ts';
import { quote, solve, type SolveTools } from './solve.ts';
import { TravelTimeCache } from '../travel/travel-time-cache.ts';

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
  | { kind: 'learned' }
  | { kind: 'provider_failed'; reason: string };

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a thread');
const settings: ProviderSettings = workerData;
const monotonicMs = (): number => systemClock.monotonicMs();
const post = (message: ThreadMessage): void => port.postMessage(message);

const yieldPoint = createYieldPoint({ monotonicMs });
const planners = new Map<string, AreaPlanner>();
const travelTimes = new TravelTimeCache({
  monotonicMs,
  yieldPoint,
  provider: await openProvider(settings),
  onLearned: () => {
    for (const planner of planners.values()) planner.noteNewRides();
    post({ kind: 'learned' });
  },
  onFailure: (reason) => post({ kind: 'provider_failed', reason }),
});

const tools: SolveTools = { travelTimes, monotonicMs, yieldPoint };

function answer(asked: ThreadQuestion): ThreadMessage {
  const { number } = asked;
  if (asked.kind === 'quote') return { kind: 'quoted', number, quotes: quote(asked.request, tools) };
  const { areaId, question } = asked;
  const startedMs = monotonicMs();
  if (question.restaurants !== null) planners.set(areaId, new AreaPlanner(question.restaurants, yieldPoint));
  const planner = planners.get(areaId);
  if (planner === undefined) throw new Error('the thread was restarted and has no state of the area');
  const planned = planner.answer(question, (request, effort) => solve(request, effort, tools));
  return { kind: 'planned', number, answer: planned, durationMs: Math.round(monotonicMs() - startedMs) };
}

port.on('message', (question: ThreadQuestion | ThreadOrder) => {
  if (question.kind === 'forget') return void planners.delete(question.areaId);
  const { number } = question;
  try {
    post(answer(question));
  } catch (error) {
    post({ kind: 'failure', number, reason: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
