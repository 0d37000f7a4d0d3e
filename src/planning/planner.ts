// The worker that keeps every area planned. A notice wakes it, and a poll of at most a second is the truth. One planner
// at a time works on an area: it holds a lease for seconds and looks at the clock before it acts.
import { setTimeout as delay } from 'node:timers/promises';
import type { OrderChanger } from '../actions/change-order.ts';
import { isDark } from '../domain/courier.ts';
import type { Instant } from '../domain/time.ts';
import type { Platform } from '../platform.ts';
import { forgetOldPlaces } from '../store/courier-positions.ts';
import type { Database } from '../store/database.ts';
import { setPlanningAlarms } from '../store/planning-alarms.ts';
import { recordPlan, type HeldArea } from '../store/planning-areas.ts';
import { listCouriersAtWork } from '../store/planning-couriers.ts';
import {
  listBusyRestaurantIds,
  listLiveOrders,
  listOrderFacts,
  listPlanningRestaurants,
  type LiveOrder,
  type OrderFacts,
  type PlanningRestaurant,
} from '../store/planning-orders.ts';
import { deleteFinishedPlans, saveOrderPlans } from '../store/plans.ts';
import {
  carryOut,
  describeArea,
  listAlarms,
  listCommands,
  listWithdrawals,
  offerTimeOf,
  type AreaNow,
} from './area-round.ts';
import { AreaLeases } from './area-leases.ts';
import { findAreaOf, groupIntoAreas, type AreaMap } from './areas.ts';
import { listOrderPlans, PlanMemory } from './order-plans.ts';
import { createPlanThreads, type PlanThreads } from './plan-threads.ts';
import type { ProviderSettings } from './provider.ts';

const POLL_MS = 1_000;
/** While nothing happens the same plan still ages: times move on. */
const OLDEST_PLAN_MS = 10_000;
const RESTAURANTS_KEPT_MS = 10_000;
/** However often it is woken, reading and planning leave the API half of the time. */
const LONGEST_REST_MS = 500;

export interface PlannerDeps extends Pick<Platform, 'clock' | 'log' | 'newId'> {
  db: Database;
  changer: OrderChanger;
  travelTimes: ProviderSettings;
}

interface AreaState {
  memory: PlanMemory;
  /** What the last plan was made from; the same again needs no new one. */
  fingerprint: string;
  plannedAtMs: number;
  nextActAt: Instant;
}

export class Planner {
  readonly name = 'plan';
  readonly #deps: PlannerDeps;
  readonly #leases: AreaLeases;
  readonly #threads: PlanThreads;
  readonly #areas = new Map<string, AreaState>();
  #facts = new Map<string, OrderFacts>();
  #restaurants: PlanningRestaurant[] = [];
  #areaMap: AreaMap = new Map();
  #restaurantsReadAtMs = Number.NEGATIVE_INFINITY;
  #wake: () => void = () => undefined;
  #isWoken = false;

  constructor(deps: PlannerDeps) {
    this.#deps = deps;
    this.#leases = new AreaLeases(deps);
    this.#threads = createPlanThreads({ log: deps.log, settings: deps.travelTimes, onLearnt: () => this.replan() });
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
        const startedMs = this.#deps.clock.monotonicMs();
        try {
          await this.#round();
        } catch (error) {
          this.#deps.log.warn({ event: 'planner.round_failed', reason: String(error) });
        }
        await this.#pause(signal, this.#deps.clock.monotonicMs() - startedMs);
      }
    } finally {
      await this.#threads.close();
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
    await forgetOldPlaces(db, clock.now());
    const busy = await listBusyRestaurantIds(db);
    await this.#readRestaurants(busy);
    const wanted = new Set(busy.flatMap((id) => this.#areaMap.get(id) ?? []));
    await deleteFinishedPlans(db);
    if (wanted.size === 0) return;
    const held = await this.#leases.claim([...wanted]);
    for (const id of this.#areas.keys()) if (!held.some((area) => area.id === id)) this.#areas.delete(id);
    if (held.length === 0) return;
    const now = clock.now();
    const heldIds = new Set(held.map(({ id }) => id));
    const restaurantIds = [...this.#areaMap].flatMap(([id, areaId]) => (heldIds.has(areaId) ? [id] : []));
    const [orders, couriers] = await Promise.all([listLiveOrders(db, restaurantIds), listCouriersAtWork(db, now)]);
    await this.#learnFacts(orders);
    const areas = this.#divide({ now, orders, couriers });
    await Promise.all(held.map((area) => this.#planSafely(area, areas.get(area.id))));
  }

  async #readRestaurants(needed: readonly string[]): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs();
    const isFresh = nowMs - this.#restaurantsReadAtMs < RESTAURANTS_KEPT_MS;
    if (isFresh && needed.every((id) => this.#areaMap.has(id))) return;
    this.#restaurants = await listPlanningRestaurants(this.#deps.db);
    this.#areaMap = groupIntoAreas(this.#restaurants);
    this.#restaurantsReadAtMs = nowMs;
  }

  /** The content of an order is long: it is read again only after the order has changed. */
  async #learnFacts(orders: readonly LiveOrder[]): Promise<void> {
    const keyOf = (order: LiveOrder): string => `${order.id} ${order.revision}`;
    const unknown = orders.filter((order) => !this.#facts.has(keyOf(order)));
    const learnt = new Map<string, OrderFacts>();
    if (unknown.length > 0) {
      const facts = await listOrderFacts(
        this.#deps.db,
        unknown.map(({ id }) => id),
      );
      for (const fact of facts) learnt.set(fact.id, fact);
    }
    this.#facts = new Map(
      orders.flatMap((order) => {
        const fact = learnt.get(order.id) ?? this.#facts.get(keyOf(order));
        return fact === undefined ? [] : [[keyOf(order), fact] as const];
      }),
    );
  }

  #divide(all: {
    now: Instant;
    orders: readonly LiveOrder[];
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
    const facts = new Map([...this.#facts.values()].map((fact) => [fact.id, fact]));
    return new Map(
      [...restaurantsByArea].map(([areaId, restaurants]) => [
        areaId,
        {
          now: all.now,
          orders: ordersByArea.get(areaId) ?? [],
          facts,
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
    const isSame = before?.fingerprint === fingerprint && !held.isReplanWanted;
    if (isSame && clock.monotonicMs() - before.plannedAtMs < OLDEST_PLAN_MS && area.now < before.nextActAt) return;

    const problem = describeArea(area);
    const { answer, durationMs } = await this.#threads.plan(held.id, problem.request);
    if (!this.#leases.isSafe(held.id)) throw new Error('the area may be planned by another node by now');
    const { routes, offers } = listCommands(area, answer.orders);
    await carryOut(changer, routes);
    await carryOut(changer, offers);
    const memory = before?.memory ?? new PlanMemory();
    const news = memory.takeNews(listOrderPlans(area.orders, problem, answer.orders));
    if (news.length > 0) await saveOrderPlans(db, news, area.now);
    const alarms = listAlarms(area, problem, answer.orders);
    const orderIds = area.orders.map(({ id }) => id);
    const raised = await setPlanningAlarms(db, { orderIds, alarms, now: area.now });
    await recordPlan(db, held.id, { summary: { ...answer.summary, durationMs }, at: area.now });
    const plannedAtMs = clock.monotonicMs();
    const nextActAt = Math.min(
      ...answer.orders.map((order) => offerTimeOf(order) ?? Infinity).filter((at) => at > area.now),
    );
    this.#areas.set(held.id, { memory, fingerprint, plannedAtMs, nextActAt });
    log.info({
      event: 'plan.made',
      areaId: held.id,
      routed: routes.length,
      offered: offers.length,
      ...answer.summary,
      durationMs,
    });
    for (const alarm of raised) log.warn({ event: 'plan.alarm', ...alarm });
    if (routes.length + offers.length > 0) this.wake();
  }
}

/** When a courier was heard of last changes all the time; whether they can be reached is what counts. */
function fingerprintOf({ orders, couriers, now }: AreaNow): string {
  const signs = couriers.map((courier) => ({ ...courier, reportedAt: null, isDark: isDark(courier, now) }));
  return JSON.stringify([orders, signs]);
}
