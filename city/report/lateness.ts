// Lateness caused by the software: how long people waited for it, rather than for a kitchen, a courier or the road.
// Waits are measured in real milliseconds, because the machine's speed does not depend on the city's clock. Each kind
// of wait has a limit that no single wait may exceed.
import type { PlanRecord } from './day-records.ts';
import type { LostOffer, Wait } from '../run/waits.ts';
import { spreadOf, type Spread } from './spread.ts';

export interface Observations {
  waits: readonly Wait[];
  toOffer: readonly ToOffer[];
  plans: readonly PlanRecord[];
  /** From each change to the arrival of its first request. */
  webhooksMs: readonly number[];
  lostOffers: readonly LostOffer[];
  failures: readonly string[];
  /** Requests that had to be retried; retries count toward the wait for the response. */
  complaints: readonly string[];
  /** How late the simulation's own timers fired. */
  lagsMs: readonly number[];
}

/** A span in which an order waits for the planner: from approval or a lost courier to the next offer or its end. */
export interface ToOffer {
  orderId: string;
  /** On the machine's clock. */
  from: number;
  to: number;
}

export interface Measure {
  name: string;
  meaning: string;
  limitMs: number;
  spread: Spread;
  /** How many waits were longer than the limit. */
  late: number;
}

export interface Lateness {
  measures: Measure[];
  /** Events that must never happen. */
  failures: string[];
  isLate: boolean;
}

/** A person who presses a button perceives this as immediate. */
const ANSWER_LIMIT_MS = 1_000;
/** A page polls in the background and will poll again. */
const PAGE_LIMIT_MS = 2_000;
/** Covers the planner's poll and a plan that needs a second search. */
const PLAN_LIMIT_MS = 2_000;
const WEBHOOK_LIMIT_MS = 2_000;

export function judgeLateness(seen: Observations): Lateness {
  const took = (...requests: Wait['request'][]): number[] =>
    seen.waits.filter(({ request }) => requests.includes(request)).map(({ tookMs }) => tookMs);
  const measures = [
    measure('order taken', 'from sending an order to its 201', ANSWER_LIMIT_MS, took('order')),
    measure('kitchen', 'from approving, preparing or canceling to the response', ANSWER_LIMIT_MS, took('kitchen')),
    measure(
      'courier',
      'from accepting, declining or an action at a stop to the response',
      ANSWER_LIMIT_MS,
      took('courier'),
    ),
    measure(
      "courier's page",
      'from requesting offers and stops, or reporting a position, to the response',
      PAGE_LIMIT_MS,
      [...took('work', 'position')],
    ),
    measure('planned', 'from an approval, a decline or a withdrawn offer to a plan that includes it', PLAN_LIMIT_MS, [
      ...findPlanWaits(seen).values(),
    ]),
    measure(
      'offered',
      'longest time without a plan while an order was waiting for its offer',
      PLAN_LIMIT_MS,
      findPlanGaps(seen),
    ),
    measure(
      'webhook',
      "from a change to its first request at the integrator's door",
      WEBHOOK_LIMIT_MS,
      seen.webhooksMs,
    ),
    measure('city', 'delay of the simulation itself', ANSWER_LIMIT_MS, seen.lagsMs),
  ];
  const failures = [
    ...seen.lostOffers.map(
      ({ orderId, courier, answer }) => `${courier} accepted ${orderId} in time but was rejected: ${answer}`,
    ),
    ...seen.failures.map((text) => `planning or delivery work failed: ${text}`),
    ...seen.complaints.map((text) => `a request had to be repeated: ${text}`),
  ];
  return { measures, failures, isLate: failures.length > 0 || measures.some(({ late }) => late > 0) };
}

function measure(name: string, meaning: string, ...[limitMs, valuesMs]: [number, readonly number[]]): Measure {
  const late = valuesMs.filter((valueMs) => valueMs > limitMs).length;
  return { name, meaning, limitMs, spread: spreadOf(valuesMs), late };
}

/** By order: the longest wait for a finished plan that was started after the order became available. */
export function findPlanWaits({ toOffer, plans }: Pick<Observations, 'toOffer' | 'plans'>): Map<string, number> {
  const sorted = plans.toSorted((a, b) => a.startedAt - b.startedAt);
  const longest = new Map<string, number>();
  for (const { orderId, from, to } of toOffer) {
    const plan = sorted.find(({ startedAt }) => startedAt >= from);
    // The order may be offered before the plan is logged, or canceled before there is one.
    const plannedAt = Math.min(plan?.endedAt ?? to, to);
    longest.set(orderId, Math.max(longest.get(orderId) ?? 0, plannedAt - from));
  }
  return longest;
}

/** For each wait, the longest time without a new plan. Each plan makes the offers that are due when it is finished. */
function findPlanGaps({ toOffer, plans }: Pick<Observations, 'toOffer' | 'plans'>): number[] {
  const ends = plans.map(({ endedAt }) => endedAt).toSorted((a, b) => a - b);
  return toOffer.map(({ from, to }) => {
    const marks = [from, ...ends.filter((end) => end > from && end < to), to];
    return Math.max(...marks.slice(1).map((mark, index) => mark - (marks[index] ?? mark)));
  });
}

/** For each order, the sum of its waits: the time that the software added. */
export function sumWaits(seen: Pick<Observations, 'waits' | 'toOffer' | 'plans'>): Map<string, number> {
  const sums = new Map(findPlanWaits(seen));
  for (const { orderId, tookMs } of seen.waits) {
    if (orderId !== null) sums.set(orderId, (sums.get(orderId) ?? 0) + tookMs);
  }
  return sums;
}
