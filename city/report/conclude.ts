// Combines everything observed during the day, inside and outside the service, into one report.
import { formatUtc, type Instant } from '../../src/domain/time.ts';
import { describeMachine, showMachine } from '../../harness/measure/machine.ts';
import { gatherEvidence, type Evidence } from '../../harness/evidence/evidence.ts';
import { sinceOf, toReal } from '../run/clock.ts';
import { checkNothingLost, type Check } from './checks.ts';
import type { CityDay } from '../day/day.ts';
import {
  readChanges,
  readLog,
  readOffers,
  readOrders,
  type ChangeRecord,
  type OfferRecord,
  type OrderRecord,
} from './day-records.ts';
import { readFeeds, type FeedEntry } from '../run/feed.ts';
import { countFigures, type Figures } from './figures.ts';
import { judgeLateness, sumWaits, type Lateness, type Observations, type ToOffer } from './lateness.ts';
import type { LostOffer } from '../run/waits.ts';
import type { DayRun } from '../run/run-day.ts';
import { spreadOf, type Spread } from './spread.ts';
import type { CityStage } from '../run/stage.ts';

export interface Report {
  day: string;
  speed: number;
  /** City time. */
  opensAt: string;
  closedAt: string;
  /** Real time. */
  tookSeconds: number;
  machine: string;
  restaurants: number;
  figures: Figures;
  webhooks: { events: number; requests: number; latencyMs: Spread; latenciesMs: number[] };
  lateness: Lateness;
  /** For each delivered order, the sum of its waits for the software, in milliseconds. */
  oursMs: Spread;
  checks: Check[];
  isLost: boolean;
}

/** Includes the input of the checks, so that tests can make them fail. */
export interface Conclusion {
  report: Report;
  evidence: Evidence;
  feed: FeedEntry[];
}

export async function conclude(stage: CityStage, day: CityDay, run: DayRun): Promise<Conclusion> {
  const { admin, opensAt, restaurants, couriers, clock } = stage;
  const { db } = admin;
  const { ledger, pace } = run;
  const receivers = restaurants.map(({ id, restaurantId, secret }) => {
    return { name: restaurantId, id, restaurantId, secret, temper: 'good' as const };
  });
  const clockSpeed = { since: sinceOf(pace), factor: pace.speed };
  const evidence = await gatherEvidence({ ...stage, receivers, clockSteps: [], clockSpeed }, run.isDrained);
  const feed = await readFeeds(stage.address, restaurants);
  const [orders, offers, changes] = [await readOrders(db), await readOffers(db), await readChanges(db)];
  const { plans, failures } = await readLog(stage.logFile);
  const courierNames = new Map(couriers.map(({ id, profile }) => [id, profile.name]));
  const figures = countFigures({ orders, offers, duties: run.duties, courierNames, opensAt });
  const latenciesMs = measureWebhooks(changes, evidence, (at) => toReal(pace, at));
  const seen: Observations = {
    waits: ledger.waits,
    toOffer: listToOffer(orders, offers, clock.now()).map(({ orderId, from, to }) => {
      return { orderId, from: toReal(pace, from), to: toReal(pace, to) };
    }),
    plans,
    webhooksMs: latenciesMs,
    lostOffers: ledger.lostOffers.filter((offer) => !wasFinished(orders, offer)),
    failures,
    complaints: ledger.complaints,
    lagsMs: clock.lagsMs,
  };
  const ours = sumWaits(seen);
  const orderIds = day.orders.map(({ id }) => id);
  const checks = checkNothingLost({ orderIds, evidence, feed });
  const report: Report = {
    day: day.name,
    speed: pace.speed,
    opensAt: formatUtc(opensAt),
    closedAt: formatUtc(clock.now()),
    tookSeconds: Math.round(run.tookMs / 1_000),
    machine: showMachine(await describeMachine()),
    restaurants: restaurants.length,
    figures,
    webhooks: {
      events: evidence.events.length,
      requests: evidence.arrivals.length,
      latencyMs: spreadOf(latenciesMs),
      latenciesMs,
    },
    lateness: judgeLateness(seen),
    oursMs: spreadOf(
      orders.flatMap(({ orderId, deliveredAt }) => (deliveredAt === null ? [] : [ours.get(orderId) ?? 0])),
    ),
    checks,
    isLost: checks.some(({ found }) => found.length > 0),
  };
  return { report, evidence, feed };
}

/** Receivers and city share the machine's clock, which has millisecond resolution. */
function measureWebhooks(
  changes: readonly ChangeRecord[],
  { arrivals }: Evidence,
  toWorld: (at: number) => number,
): number[] {
  const firstAt = new Map<string, number>();
  for (const { body, at } of arrivals) if (!firstAt.has(body)) firstAt.set(body, at);
  return changes.flatMap(({ body, madeAt }) => {
    const at = firstAt.get(body);
    return at === undefined ? [] : [Math.max(0, at - toWorld(madeAt))];
  });
}

/** A refusal is not an error if the order was canceled while the courier was answering. */
function wasFinished(orders: readonly OrderRecord[], offer: LostOffer): boolean {
  const finishedAt = orders.find(({ id }) => id === offer.orderId)?.finishedAt ?? null;
  return finishedAt !== null && finishedAt <= offer.at;
}

/** After an approval, a decline or a withdrawn offer, the order waits for the planner until the next offer. */
function listToOffer(orders: readonly OrderRecord[], offers: readonly OfferRecord[], endsAt: Instant): ToOffer[] {
  const byOrder = Map.groupBy(offers, ({ orderId }) => orderId);
  return orders.flatMap(({ id, orderId, approvedAt, finishedAt }) => {
    const own = byOrder.get(id) ?? [];
    const freed = own.filter(({ kind }) => kind !== 'courier_offered').map(({ at }) => at);
    return [...(approvedAt === null ? [] : [approvedAt]), ...freed].map((from) => {
      const next = own.find(({ kind, at }) => kind === 'courier_offered' && at >= from);
      return { orderId, from, to: next?.at ?? finishedAt ?? endsAt };
    });
  });
}
