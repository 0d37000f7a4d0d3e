// Late because of us: how long somebody waited for the software, rather than for a kitchen, a courier or the road. Every
// wait is measured in milliseconds of the world, because that is how fast the machine is whatever the city's clock says,
// and each kind has a limit that no single wait may pass.
import type { PlanRecord } from './day-records.ts';
import type { LostOffer, Wait } from '../run/waits.ts';
import { spreadOf, type Spread } from './spread.ts';

export interface Observations {
  waits: readonly Wait[];
  toOffer: readonly ToOffer[];
  plans: readonly PlanRecord[];
  /** From the change until its first request had arrived. */
  webhooksMs: readonly number[];
  lostOffers: readonly LostOffer[];
  failures: readonly string[];
  /** Requests that had to be repeated; the wait for their answer goes on meanwhile. */
  complaints: readonly string[];
  /** By how much the city's own people were woken late. */
  lagsMs: readonly number[];
}

/** While an order waits for the planner: approved or taken back from a courier, until it is offered or finished. */
export interface ToOffer {
  orderId: string;
  /** By the machine's clock. */
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
  /** What must not happen at all, and did. */
  failures: string[];
  isLate: boolean;
}

/** What a person at a button takes for an answer at once. */
const ANSWER_LIMIT_MS = 1_000;
/** A page that asks by itself, and asks again. */
const PAGE_LIMIT_MS = 2_000;
/** The planner's poll, and a plan that is searched for twice before it is one. */
const PLAN_LIMIT_MS = 2_000;
const WEBHOOK_LIMIT_MS = 2_000;

export function judgeLateness(seen: Observations): Lateness {
  const took = (...requests: Wait['request'][]): number[] =>
    seen.waits.filter(({ request }) => requests.includes(request)).map(({ tookMs }) => tookMs);
  const measures = [
    measure('order taken', 'from sending an order to its 201', ANSWER_LIMIT_MS, took('order')),
    measure('kitchen', 'from pressing approve, prepared or cancel to the answer', ANSWER_LIMIT_MS, took('kitchen')),
    measure('courier', 'from accepting, declining or an act at a stop to the answer', ANSWER_LIMIT_MS, took('courier')),
    measure("courier's page", 'from asking for offers and stops, or telling a place, to the answer', PAGE_LIMIT_MS, [
      ...took('work', 'position'),
    ]),
    measure('planned', 'from an approval, a refusal or an offer taken back to a plan that knows of it', PLAN_LIMIT_MS, [
      ...findPlanWaits(seen).values(),
    ]),
    measure(
      'offered',
      'the longest time without a plan while an order waited to be offered: no offer was later than that',
      PLAN_LIMIT_MS,
      findPlanGaps(seen),
    ),
    measure(
      'webhook',
      "from a change to its first request at the integrator's door",
      WEBHOOK_LIMIT_MS,
      seen.webhooksMs,
    ),
    measure('city', 'how late the simulation itself woke its people', ANSWER_LIMIT_MS, seen.lagsMs),
  ];
  const failures = [
    ...seen.lostOffers.map(
      ({ orderId, courier, answer }) => `${courier} accepted ${orderId} in time and was refused: ${answer}`,
    ),
    ...seen.failures.map((text) => `a round of work failed: ${text}`),
    ...seen.complaints.map((text) => `a request had to be repeated: ${text}`),
  ];
  return { measures, failures, isLate: failures.length > 0 || measures.some(({ late }) => late > 0) };
}

function measure(name: string, meaning: string, ...[limitMs, valuesMs]: [number, readonly number[]]): Measure {
  const late = valuesMs.filter((valueMs) => valueMs > limitMs).length;
  return { name, meaning, limitMs, spread: spreadOf(valuesMs), late };
}

/** By order: the longest time until a plan was begun that could know of it, and was made. */
export function findPlanWaits({ toOffer, plans }: Pick<Observations, 'toOffer' | 'plans'>): Map<string, number> {
  const sorted = plans.toSorted((a, b) => a.startedAt - b.startedAt);
  const longest = new Map<string, number>();
  for (const { orderId, from, to } of toOffer) {
    const plan = sorted.find(({ startedAt }) => startedAt >= from);
    // Offered before the plan was written down, or cancelled before there was one.
    const plannedAt = Math.min(plan?.endedAt ?? to, to);
    longest.set(orderId, Math.max(longest.get(orderId) ?? 0, plannedAt - from));
  }
  return longest;
}

/** For each wait the longest time without a plan in it. A plan makes the offers that are due when it is made. */
function findPlanGaps({ toOffer, plans }: Pick<Observations, 'toOffer' | 'plans'>): number[] {
  const ends = plans.map(({ endedAt }) => endedAt).toSorted((a, b) => a - b);
  return toOffer.map(({ from, to }) => {
    const marks = [from, ...ends.filter((end) => end > from && end < to), to];
    return Math.max(...marks.slice(1).map((mark, index) => mark - (marks[index] ?? mark)));
  });
}

/** For each order all its own waits together: what the software took of its time. */
export function sumWaits(seen: Pick<Observations, 'waits' | 'toOffer' | 'plans'>): Map<string, number> {
  const sums = new Map(findPlanWaits(seen));
  for (const { orderId, tookMs } of seen.waits) {
    if (orderId !== null) sums.set(orderId, (sums.get(orderId) ?? 0) + tookMs);
  }
  return sums;
}
