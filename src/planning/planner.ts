// The worker that keeps every area planned. A notice wakes it, and a poll of at most a second is the truth. One planner
// at a time works on an area: it holds a lease for seconds and looks at the clock before it acts.
import { setImmediate as letOthersIn, setTimeout as delay } from 'node:timers/promises';
import type { OrderChanger } from '../actions/change-order.ts';
import type { Instant } from '../domain/time.ts';
import type { Platform } from '../platform.ts';
import { forgetOldPlaces } from '../store/courier-positions.ts';
import type { Database } from '../store/database.ts';
import { setPlanningAlarms } from '../store/planning-alarms.ts';
import type { HeldArea } from '../store/planning-areas.ts';
import { listCouriersAtWork } from '../store/planning-couriers.ts';
import {
  listBusyRestaurantIds,
  listPlanningRestaurants,
  type LiveOrder,
  type OrderFacts,
  type PlanningRestaurant,
} from '../store/planning-orders.ts';
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
import { findAreaOf, groupIntoAreas, type AreaMap } from './areas.ts';
import { fingerprintOf, isSameList, type Fingerprint } from './fingerprint.ts';
import { LiveOrders } from './live-orders.ts';
import { listOrderPlans, PlanMemory } from './order-plans.ts';
import type { PlanThreads } from './plan-threads.ts';

const POLL_MS = 1_000;
/** While nothing happens the same plan still ages: times move on, and so do couriers. */
const OLDEST_PLAN_MS = 10_000;
const OLDEST_PLAN_WHILE_MOVING_MS = 3_000;
const RESTAURANTS_KEPT_MS = 10_000;
const TIDY_INTERVAL_MS = 1_000;
/** In between, only what was finished lately is looked at; this far the clocks of nodes may lie apart. */
const WHOLE_TIDY_INTERVAL_MS = 600_000;
const CLOCKS_APART_MS = 60_000;
/** However often it is woken, what it does outside of its threads leaves the API half of the time. */
const LONGEST_REST_MS = 500;

export interface PlannerDeps extends Pick<Platform, 'clock' | 'log' | 'newId'> {
  db: Database;
  changer: OrderChanger;
  threads: PlanThreads;
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
  readonly #areas = new Map<string, AreaState>();
  readonly #liveOrders = new LiveOrders();
  #restaurants: PlanningRestaurant[] = [];
  #areaMap: AreaMap = new Map();
  #restaurantsReadAtMs = Number.NEGATIVE_INFINITY;
  #wake: () => void = () => undefined;
  #isWoken = false;
  #busy: readonly string[] = [];
  #busyReadAtMs = Number.NEGATIVE_INFINITY;
  #tidiedAtMs = Number.NEGATIVE_INFINITY;
  #tidiedWholeAtMs = Number.NEGATIVE_INFINITY;
  #tidiedAt: Instant = 0;
  /** How long the threads took in this round. */
  #threadMs = 0;

  constructor(deps: PlannerDeps) {
    this.#deps = deps;
    this.#leases = new AreaLeases(deps);
  }

  /** Something changed that a plan depends on. */
  wake(): void {
    this.#isWoken = true;
    this.#wake();
  }

  /** The world is another one although orders and couriers are the same. */
  replan(): void {
    this.#areas.clear();
    this.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        this.#isWoken = false;
        this.#threadMs = 0;
        const startedMs = this.#deps.clock.monotonicMs();
        try {
          await this.#round();
          await this.#tidy();
        } catch (error) {
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
    await delay(POLL_MS, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => undefined);
  }

  async #round(): Promise<void> {
    const { db, clock } = this.#deps;
    const [busy, kept] = await Promise.all([this.#listBusy(), this.#leases.list()]);
    await this.#readRestaurants(busy);
    const wanted = new Set(busy.flatMap((id) => this.#areaMap.get(id) ?? []));
    if (wanted.size === 0) return;
    const hasAll = kept.length === wanted.size && kept.every(({ id }) => wanted.has(id));
    const held = hasAll ? kept : await this.#leases.claim([...wanted]);
    for (const id of this.#areas.keys()) if (!held.some((area) => area.id === id)) this.#areas.delete(id);
    if (held.length === 0) return;
    const now = clock.now();
    const heldIds = new Set(held.map(({ id }) => id));
    const restaurantIds = [...this.#areaMap].flatMap(([id, areaId]) => (heldIds.has(areaId) ? [id] : []));
    const [{ orders, facts }, couriers] = await Promise.all([
      this.#liveOrders.read(db, restaurantIds, now),
      listCouriersAtWork(db, now),
    ]);
    // Steps that take a millisecond for a thousand orders are not taken at one go: requests come in between.
    await letOthersIn();
    const areas = this.#divide({ now, orders, facts, couriers });
    await Promise.all(held.map((area) => this.#planSafely(area, areas.get(area.id))));
  }

  /** Restaurants with something to plan. The areas it has are read in any case; further ones may wait for a poll. */
  async #listBusy(): Promise<readonly string[]> {
    const nowMs = this.#deps.clock.monotonicMs();
    if (this.#areas.size === 0 || nowMs - this.#busyReadAtMs >= POLL_MS) {
      this.#busy = await listBusyRestaurantIds(this.#deps.db);
      this.#busyReadAtMs = nowMs;
    }
    return this.#busy;
  }

  async #tidy(): Promise<void> {
    const { db, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#tidiedAtMs < TIDY_INTERVAL_MS) return;
    const isWhole = nowMs - this.#tidiedWholeAtMs >= WHOLE_TIDY_INTERVAL_MS;
    const now = clock.now();
    await forgetOldPlaces(db, now);
    await deleteFinishedPlans(db, isWhole ? null : this.#tidiedAt - CLOCKS_APART_MS);
    this.#tidiedAtMs = nowMs;
    this.#tidiedAt = now;
    if (isWhole) this.#tidiedWholeAtMs = nowMs;
  }

  async #readRestaurants(needed: readonly string[]): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs();
    const isFresh = nowMs - this.#restaurantsReadAtMs < RESTAURANTS_KEPT_MS;
    if (isFresh && needed.every((id) => this.#areaMap.has(id))) return;
    this.#restaurants = await listPlanningRestaurants(this.#deps.db);
    this.#areaMap = groupIntoAreas(this.#restaurants);
    this.#restaurantsReadAtMs = nowMs;
  }

  #divide(all: {
    now: Instant;
    orders: readonly LiveOrder[];
    facts: ReadonlyMap<string, OrderFacts>;
    couriers: Awaited<ReturnType<typeof listCouriersAtWork>>;
  }): Map<string, AreaNow> {
    const onDuty = new Set(all.couriers.map(({ id }) => id));
    const busyWith = Map.groupBy(
      all.orders.filter(({ courierId }) => courierId !== null),
      (order) => order.courierId,
    );
    const couriersByArea = Map.groupBy(all.couriers, (courier) =>
      findAreaOf(
        {
          restaurantId: courier.restaurantId,
          place: courier.place ?? courier.home,
          busyWith: (busyWith.get(courier.id) ?? []).map(({ restaurantId }) => restaurantId),
        },
        this.#restaurants,
        this.#areaMap,
      ),
    );
    const ordersByArea = Map.groupBy(all.orders, (order) => this.#areaMap.get(order.restaurantId));
    const restaurantsByArea = Map.groupBy(this.#restaurants, ({ id }) => this.#areaMap.get(id) ?? id);
    return new Map(
      [...restaurantsByArea].map(([areaId, restaurants]) => [
        areaId,
        {
          now: all.now,
          orders: ordersByArea.get(areaId) ?? [],
          facts: all.facts,
          restaurants: new Map(restaurants.map((restaurant) => [restaurant.id, restaurant])),
          couriers: couriersByArea.get(areaId) ?? [],
          onDuty,
        },
      ]),
    );
  }

  async #planSafely(held: HeldArea, area: AreaNow | undefined): Promise<void> {
    if (area === undefined) return;
    try {
      await this.#planArea(held, area);
    } catch (error) {
      // The other areas are planned all the same, and this one again in a moment.
      this.#areas.delete(held.id);
      this.#deps.log.error({ event: 'plan.failed', areaId: held.id, reason: String(error) });
    }
  }

  async #planArea(held: HeldArea, area: AreaNow): Promise<void> {
    const { changer, clock, db, log } = this.#deps;
    const withdrawals = listWithdrawals(area);
    if (withdrawals.length > 0) {
      await carryOut(changer, withdrawals);
      // They are free now: planned in the next round, which begins at once.
      return this.wake();
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
    if (offers.length > 0) this.wake();
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
