// The worker that keeps every area planned. A notification wakes it and may name the orders to read; a timer also
// starts rounds. A full read every few seconds guarantees progress. Only one planner at a time works on an area: it
// holds a lease for a few seconds and checks the clock before it acts.
import { setTimeout as delay } from 'node:timers/promises';
import type { OrderChanger } from '../actions/orders/change-order.ts';
import type { SetAside } from '../domain/upkeep/set-aside.ts';
import type { Instant } from '../domain/time.ts';
import type { Platform } from '../platform.ts';
import { clearOldPlaces } from '../store/couriers/positions.ts';
import type { Database } from '../store/database/database.ts';
import type { HeldArea } from '../store/planning/areas.ts';
import { deleteFinishedPlans } from '../store/planning/plans.ts';
import { AreaEffects } from './areas/effects.ts';
import type { PlannedArea } from './areas/updates.ts';
import { AreaLeases } from './areas/leases.ts';
import { CityView } from './areas/city-view.ts';
import type { PlanThreads } from './threads/plan-threads.ts';

/** A timer is needed because offers become due and lapse without a notification. */
const ROUND_MS = 1_000;
/**
 * A full read covers every live order and courier, which slows API requests noticeably. It picks up courier positions,
 * which couriers report at about this interval, and any change whose notification was lost.
 */
const LOOK_MS = 5_000;
/** A round woken by a change does not wait for a full read that has just become due; that runs shortly after. */
const LATEST_LOOK_MS = 5_500;
const TIDY_INTERVAL_MS = 1_000;
/** In between, only plans whose end was observed are deleted, not those that ended while no planner ran. */
const WHOLE_TIDY_INTERVAL_MS = 60_000;
/** How long a round waits for its plans. An area that takes longer continues in the background. */
const PATIENCE_MS = 250;
/** The planner pauses for as long as it worked outside its threads, up to this: the API keeps half of the time. */
const MAX_REST_MS = 500;

export interface PlannerDeps extends Pick<Platform, 'clock' | 'log' | 'newId'> {
  db: Database;
  changer: OrderChanger;
  threads: PlanThreads;
  setAside: SetAside;
}

export class Planner {
  readonly name = 'plan';
  readonly #deps: PlannerDeps;
  readonly #leases: AreaLeases;
  readonly #view: CityView;
  readonly #effects: AreaEffects;
  /** The areas of the last round. */
  #planned: readonly string[] = [];
  #wake: () => void = () => undefined;
  #isWoken = false;
  /** Orders that have changed since they were read; null means that anything may have, as at the start. */
  #changed: Set<string> | null = null;
  /** When the last full read started. */
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #tidiedAtMs = Number.NEGATIVE_INFINITY;
  #tidiedWholeAtMs = Number.NEGATIVE_INFINITY;
  /** Areas whose plan is being made or put into effect. */
  readonly #underWay = new Map<string, Promise<number>>();

  constructor(deps: PlannerDeps) {
    this.#deps = deps;
    this.#leases = new AreaLeases({ ...deps, onGained: () => this.wake(null) });
    this.#view = new CityView(deps);
    this.#effects = new AreaEffects(deps);
  }

  /** Something that plans depend on has changed: these orders, or anything if null. */
  wake(orderIds: readonly string[] | null): void {
    if (orderIds === null) this.#changed = null;
    else this.#noteChanged(orderIds);
    this.#isWoken = true;
    this.#wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        const changed = this.#changed;
        const oldestLookMs = this.#isWoken ? LATEST_LOOK_MS : LOOK_MS;
        this.#isWoken = false;
        this.#changed = new Set();
        const startedMs = this.#deps.clock.monotonicMs();
        let threadMs = 0;
        try {
          threadMs = await this.#round(changed, oldestLookMs);
          await this.#tidy();
        } catch (error) {
          this.#changed = null;
          this.#deps.log.warn({ event: 'planner.round_failed', reason: String(error) });
        }
        await this.#pause(signal, { startedMs, threadMs });
      }
    } finally {
      await Promise.all(this.#underWay.values());
      await this.#leases.release().catch(() => undefined);
    }
  }

  async #pause(signal: AbortSignal, { startedMs, threadMs }: { startedMs: number; threadMs: number }): Promise<void> {
    const workedMs = this.#deps.clock.monotonicMs() - startedMs - threadMs;
    await delay(Math.min(workedMs, MAX_REST_MS), undefined, { signal }).catch(() => undefined);
    if (this.#isWoken) return;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const nextMs = Math.min(startedMs + ROUND_MS, this.#lookedAtMs + LOOK_MS);
    const leftMs = Math.max(0, nextMs - this.#deps.clock.monotonicMs());
    await delay(leftMs, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => undefined);
  }

  #noteChanged(orderIds: readonly string[]): void {
    for (const id of orderIds) this.#changed?.add(id);
  }

  /** Returns how long it waited for its threads. */
  async #round(changed: ReadonlySet<string> | null, oldestLookMs: number): Promise<number> {
    // Plans in progress may change orders after this round has read them, so their areas wait for the next round.
    const busy = new Set(this.#underWay.keys());
    const held = (await this.#lookAtChanged(changed, oldestLookMs)) ?? (await this.#lookAtAll());
    const heldIds = held.map(({ id }) => id);
    const left = this.#planned.filter((id) => !heldIds.includes(id));
    this.#view.forgetPending(left);
    for (const id of left) this.#deps.threads.forget(id);
    this.#planned = heldIds;
    return this.#planAll(held, busy);
  }

  async #planAll(areas: readonly HeldArea[], busy: ReadonlySet<string>): Promise<number> {
    const ends: Promise<number>[] = [];
    for (const area of areas) {
      if (busy.has(area.id)) void this.#wakeAfter(area.id);
      else ends.push(this.#begin(area));
    }
    const done = new AbortController();
    const patience = delay(PATIENCE_MS, undefined, { signal: done.signal }).catch(() => undefined);
    const durations = await Promise.race([Promise.all(ends), patience]);
    done.abort();
    return durations === undefined ? PATIENCE_MS : Math.max(0, ...durations);
  }

  #begin(area: HeldArea): Promise<number> {
    const end = this.#planSafely(area).finally(() => this.#underWay.delete(area.id));
    this.#underWay.set(area.id, end);
    return end;
  }

  async #wakeAfter(areaId: string): Promise<void> {
    await this.#underWay.get(areaId);
    this.wake([]);
  }

  /**
   * Returns the areas that this planner may plan, or undefined if a full read is needed. Notifications can get lost, so
   * full reads stay frequent; a planner without any area does one in every round to find an area.
   */
  async #lookAtChanged(
    changed: ReadonlySet<string> | null,
    oldestLookMs: number,
  ): Promise<readonly HeldArea[] | undefined> {
    const isRecent = this.#deps.clock.monotonicMs() - this.#lookedAtMs < oldestLookMs;
    if (changed === null || !isRecent || this.#planned.length === 0) return undefined;
    const [held, isEnough] = await Promise.all([this.#leases.list(), this.#view.lookAt([...changed])]);
    return isEnough ? held : undefined;
  }

  async #lookAtAll(): Promise<readonly HeldArea[]> {
    this.#lookedAtMs = this.#deps.clock.monotonicMs();
    let held: readonly HeldArea[] = [];
    await this.#view.lookAtAll(async (busy) => {
      held = await this.#hold(busy);
      return new Set(held.map(({ id }) => id));
    });
    await this.#deps.setAside.report('planning', this.#view.listTroubles());
    return held;
  }

  async #hold(wanted: ReadonlySet<string>): Promise<readonly HeldArea[]> {
    if (wanted.size === 0) return [];
    const kept = await this.#leases.list();
    const hasAll = kept.length === wanted.size && kept.every(({ id }) => wanted.has(id));
    return hasAll ? kept : this.#leases.claim([...wanted]);
  }

  async #tidy(): Promise<void> {
    const { db, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#tidiedAtMs < TIDY_INTERVAL_MS) return;
    this.#tidiedAtMs = nowMs;
    await clearOldPlaces(db, clock.now());
    const gone = this.#view.takeGone();
    const isWhole = nowMs - this.#tidiedWholeAtMs >= WHOLE_TIDY_INTERVAL_MS;
    if (isWhole || gone.length > 0) await deleteFinishedPlans(db, isWhole ? null : gone);
    if (isWhole) this.#tidiedWholeAtMs = nowMs;
  }

  async #planSafely(held: HeldArea): Promise<number> {
    try {
      return await this.#planArea(held);
    } catch (error) {
      // The other areas are still planned. This one is planned again shortly, from scratch.
      this.#view.forgetPending([held.id]);
      this.#changed = null;
      this.#deps.log.error({ event: 'plan.failed', areaId: held.id, reason: String(error) });
      return 0;
    }
  }

  /** Returns how long the thread worked on it. */
  async #planArea({ id, isReplanWanted }: HeldArea): Promise<number> {
    const news = this.#view.takeNews(id);
    if (news === undefined) return 0;
    const stuckOrderIds = this.#effects.listStuck();
    const { answer, durationMs } = await this.#deps.threads.plan(id, { ...news, isReplanWanted, stuckOrderIds });
    if (answer.kind === 'kept') return durationMs;
    if (!this.#leases.isSafe(id)) throw new Error('the area may be planned by another node by now');
    if (answer.kind === 'planned') {
      await this.#putIntoEffect(id, answer, { at: news.now, durationMs, isWished: isReplanWanted });
      return durationMs;
    }
    await this.#effects.carryOut(answer.withdrawals);
    // These orders are free now and are planned in the next round, which starts immediately.
    this.wake(answer.withdrawals.map(({ orderId }) => orderId));
    return durationMs;
  }

  async #putIntoEffect(
    areaId: string,
    { routes, offers, plans, alarms, troubles, ...planned }: PlannedArea,
    { at, durationMs, isWished }: { at: Instant; durationMs: number; isWished: boolean },
  ): Promise<void> {
    const { log, setAside } = this.#deps;
    await setAside.report('planning', troubles);
    const summary = { ...planned.summary, durationMs };
    // Recorded before the orders are routed, so that anyone who sees a routed order can see its plan.
    await this.#effects.record(areaId, { news: plans, summary, at, isWished });
    this.#view.notePlanned(plans.map(({ orderId }) => orderId));
    await this.#effects.carryOut(routes);
    await this.#effects.carryOut(offers);
    this.#noteChanged([...plans, ...routes, ...offers].map(({ orderId }) => orderId));
    if (alarms !== null) await this.#effects.raise(alarms, at);
    log.info({ event: 'plan.made', areaId, routed: routes.length, offered: offers.length, ...summary });
    if (offers.length > 0) this.wake([]);
  }
}
