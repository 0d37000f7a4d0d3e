// The worker that keeps every area planned. A notice wakes it and may name the orders to look at; a look at everything,
// every second, is the truth. One planner at a time works on an area: it holds a lease for seconds and looks at the clock
// before it acts.
import { setImmediate as letOthersIn, setTimeout as delay } from 'node:timers/promises';
import type { OrderChanger } from '../actions/change-order.ts';
import type { Instant } from '../domain/time.ts';
import type { Platform } from '../platform.ts';
import { forgetOldPlaces } from '../store/courier-positions.ts';
import type { Database } from '../store/database.ts';
import { setPlanningAlarms } from '../store/planning-alarms.ts';
import type { HeldArea } from '../store/planning-areas.ts';
import { deleteFinishedPlans, recordPlan } from '../store/plans.ts';
import {
  carryOut,
  describeArea,
  listAlarms,
  listCommands,
  listWithdrawals,
  offerTimeOf,
  type Alarm,
  type AreaNow,
} from './area-round.ts';
import { AreaLeases } from './area-leases.ts';
import { CityView, type AreasNow } from './city-view.ts';
import { fingerprintOf, isSameList, type Fingerprint } from './fingerprint.ts';
import { listOrderPlans, PlanMemory } from './order-plans.ts';
import type { PlanThreads } from './plan-threads.ts';

const POLL_MS = 1_000;
/** While nothing happens the same plan still ages: times move on, and so do couriers. */
const OLDEST_PLAN_MS = 10_000;
const OLDEST_PLAN_WHILE_MOVING_MS = 3_000;
const TIDY_INTERVAL_MS = 1_000;
/** In between, only what was seen to end is tidied up, and not what ended while nobody planned. */
const WHOLE_TIDY_INTERVAL_MS = 60_000;
/** However often it is woken, what it does outside of its threads leaves the API half of the time. */
const LONGEST_REST_MS = 500;

export interface PlannerDeps extends Pick<Platform, 'clock' | 'log' | 'newId'> {
  db: Database;
  changer: OrderChanger;
  threads: PlanThreads;
}

/** What there is to plan now, and where this planner may. */
interface Look {
  held: readonly HeldArea[];
  areas: AreasNow;
}

interface AreaState {
  memory: PlanMemory;
  fingerprint: Fingerprint;
  /** As they were written last; null: not yet. */
  alarms: string | null;
  plannedAtMs: number;
  nextActAt: Instant;
}

export class Planner {
  readonly name = 'plan';
  readonly #deps: PlannerDeps;
  readonly #leases: AreaLeases;
  readonly #view: CityView;
  readonly #areas = new Map<string, AreaState>();
  #wake: () => void = () => undefined;
  #isWoken = false;
  /** Orders that have changed since they were read; null: it may be anything. */
  #changed: Set<string> | null = null;
  /** When it began to look at everything. */
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #tidiedAtMs = Number.NEGATIVE_INFINITY;
  #tidiedWholeAtMs = Number.NEGATIVE_INFINITY;
  /** How long the threads took in this round. */
  #threadMs = 0;

  constructor(deps: PlannerDeps) {
    this.#deps = deps;
    this.#leases = new AreaLeases(deps);
    this.#view = new CityView(deps);
  }

  /** Something changed that a plan depends on: these orders, or, if null, whatever it may be. */
  wake(orderIds: readonly string[] | null): void {
    if (orderIds === null) this.#changed = null;
    else this.#noteChanged(orderIds);
    this.#isWoken = true;
    this.#wake();
  }

  /** The world is another one although orders and couriers are the same. */
  replan(): void {
    this.#areas.clear();
    this.wake(null);
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        // When nobody woke it, it is time for a look at everything.
        const changed = this.#isWoken ? this.#changed : null;
        this.#isWoken = false;
        this.#changed = new Set();
        this.#threadMs = 0;
        const startedMs = this.#deps.clock.monotonicMs();
        try {
          await this.#round(changed);
          await this.#tidy();
        } catch (error) {
          this.#changed = null;
          this.#deps.log.warn({ event: 'planner.round_failed', reason: String(error) });
        }
        await this.#pause(signal, this.#deps.clock.monotonicMs() - startedMs - this.#threadMs);
      }
    } finally {
      await this.#leases.release().catch(() => undefined);
    }
  }

  async #pause(signal: AbortSignal, workedMs: number): Promise<void> {
    await delay(Math.min(workedMs, LONGEST_REST_MS), undefined, { signal }).catch(() => undefined);
    if (this.#isWoken) return;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const leftMs = Math.max(0, this.#lookedAtMs + POLL_MS - this.#deps.clock.monotonicMs());
    await delay(leftMs, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => undefined);
  }

  #noteChanged(orderIds: readonly string[]): void {
    for (const id of orderIds) this.#changed?.add(id);
  }

  async #round(changed: ReadonlySet<string> | null): Promise<void> {
    const { held, areas } = (await this.#lookAtChanged(changed)) ?? (await this.#lookAtAll());
    for (const id of this.#areas.keys()) if (!held.some((area) => area.id === id)) this.#areas.delete(id);
    // Steps that take a millisecond for a thousand orders are not taken at one go: requests come in between.
    await letOthersIn();
    await Promise.all(held.map((area) => this.#planSafely(area, areas.get(area.id))));
  }

  /** Undefined where only a look at everything will do. A notice may get lost, so that is never older than a poll. */
  async #lookAtChanged(changed: ReadonlySet<string> | null): Promise<Look | undefined> {
    const isRecent = this.#deps.clock.monotonicMs() - this.#lookedAtMs < POLL_MS;
    if (changed === null || !isRecent || this.#areas.size === 0) return undefined;
    const [held, areas] = await Promise.all([this.#leases.list(), this.#view.lookAt([...changed])]);
    return areas && { held, areas };
  }

  async #lookAtAll(): Promise<Look> {
    this.#lookedAtMs = this.#deps.clock.monotonicMs();
    const [wanted, kept] = await Promise.all([this.#view.listBusyAreas(), this.#leases.list()]);
    const hasAll = kept.length === wanted.size && kept.every(({ id }) => wanted.has(id));
    const held = wanted.size === 0 ? [] : hasAll ? kept : await this.#leases.claim([...wanted]);
    return { held, areas: await this.#view.lookAtAll(new Set(held.map(({ id }) => id))) };
  }

  async #tidy(): Promise<void> {
    const { db, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#tidiedAtMs < TIDY_INTERVAL_MS) return;
    this.#tidiedAtMs = nowMs;
    await forgetOldPlaces(db, clock.now());
    const gone = this.#view.takeGone();
    const isWhole = nowMs - this.#tidiedWholeAtMs >= WHOLE_TIDY_INTERVAL_MS;
    if (isWhole || gone.length > 0) await deleteFinishedPlans(db, isWhole ? null : gone);
    if (isWhole) this.#tidiedWholeAtMs = nowMs;
  }

  async #planSafely(held: HeldArea, area: AreaNow | undefined): Promise<void> {
    if (area === undefined) return;
    try {
      await this.#planArea(held, area);
    } catch (error) {
      // The other areas are planned all the same, and this one again in a moment.
      this.#areas.delete(held.id);
      this.#changed = null;
      this.#deps.log.error({ event: 'plan.failed', areaId: held.id, reason: String(error) });
    }
  }

  async #planArea(held: HeldArea, area: AreaNow): Promise<void> {
    const { changer, clock, db, log } = this.#deps;
    const withdrawals = listWithdrawals(area);
    if (withdrawals.length > 0) {
      await carryOut(changer, withdrawals);
      // They are free now: planned in the next round, which begins at once.
      return this.wake(withdrawals.map(({ orderId }) => orderId));
    }
    const before = this.#areas.get(held.id);
    const fingerprint = fingerprintOf(area);
    if (before !== undefined && !held.isReplanWanted && this.#isGoodEnough(before, { fingerprint, now: area.now }))
      return;

    await letOthersIn();
    const problem = describeArea(area);
    await letOthersIn();
    const { answer, durationMs } = await this.#deps.threads.plan(held.id, problem.request);
    this.#threadMs = Math.max(this.#threadMs, durationMs);
    if (!this.#leases.isSafe(held.id)) throw new Error('the area may be planned by another node by now');
    const { routes, offers } = listCommands(area, answer.orders);
    const memory = before?.memory ?? new PlanMemory();
    await letOthersIn();
    const news = memory.takeNews(listOrderPlans(area.orders, problem, answer.orders));
    const summary = { ...answer.summary, durationMs };
    // Neither needs the other, and both wait for the disk.
    await Promise.all([carryOut(changer, routes), recordPlan(db, held.id, { news, summary, at: area.now })]);
    await carryOut(changer, offers);
    this.#noteChanged([...news, ...routes, ...offers].map(({ orderId }) => orderId));
    const alarms = listAlarms(area, problem, answer.orders);
    const alarmText = JSON.stringify(alarms);
    if (alarmText !== before?.alarms) await this.#setAlarms(area, alarms);
    const plannedAtMs = clock.monotonicMs();
    const nextActAt = Math.min(
      ...answer.orders.map((order) => offerTimeOf(order) ?? Infinity).filter((at) => at > area.now),
    );
    this.#areas.set(held.id, { memory, fingerprint, alarms: alarmText, plannedAtMs, nextActAt });
    log.info({
      event: 'plan.made',
      areaId: held.id,
      routed: routes.length,
      offered: offers.length,
      ...summary,
    });
    if (offers.length > 0) this.wake([]);
  }

  #isGoodEnough(before: AreaState, { fingerprint, now }: { fingerprint: Fingerprint; now: Instant }): boolean {
    if (now >= before.nextActAt || !isSameList(before.fingerprint.duties, fingerprint.duties)) return false;
    const haveMoved = !isSameList(before.fingerprint.places, fingerprint.places);
    const oldestMs = haveMoved ? OLDEST_PLAN_WHILE_MOVING_MS : OLDEST_PLAN_MS;
    return this.#deps.clock.monotonicMs() - before.plannedAtMs < oldestMs;
  }

  async #setAlarms({ orders, now }: AreaNow, alarms: readonly Alarm[]): Promise<void> {
    const orderIds = orders.map(({ id }) => id);
    const raised = await setPlanningAlarms(this.#deps.db, { orderIds, alarms, now });
    for (const alarm of raised) this.#deps.log.warn({ event: 'plan.alarm', ...alarm });
  }
}
