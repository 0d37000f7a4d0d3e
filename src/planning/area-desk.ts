// One area as its planning thread knows it: orders, couriers and the last plan, kept from question to question and brought
// up to date by what is new in each. Nothing here reads a clock or a database.
import type { Instant } from '../domain/time.ts';
import type { AreaAnswer, AreaNews, AreaQuestion, CouriersNow, KnownOrder } from './area-news.ts';
import { describeArea, listAlarms, listCommands, listWithdrawals, offerTimeOf, type AreaNow } from './area-round.ts';
import { fingerprintOf, isSameList, type Fingerprint } from './fingerprint.ts';
import { draftOrderPlans, PlanMemory } from './order-plans.ts';
import type { OrderReason, PlanAnswer, PlanEffort, PlannedOrder, PlanRequest } from './plan-request.ts';

/** While nothing happens the same plan still ages: times move on, and so do couriers. */
const OLDEST_PLAN_MS = 10_000;
const OLDEST_PLAN_WHILE_MOVING_MS = 3_000;

interface LastPlan {
  fingerprint: Fingerprint;
  alarms: string;
  at: Instant;
  nextActAt: Instant;
}

export type Solve = (request: PlanRequest, effort: PlanEffort) => PlanAnswer;

export class AreaDesk {
  readonly #restaurants: AreaNow['restaurants'];
  readonly #orders = new Map<string, KnownOrder>();
  readonly #memory = new PlanMemory();
  /** What was said last of each order. */
  #reasons: ReadonlyMap<string, OrderReason> = new Map();
  #planCount = 0;
  #couriers: CouriersNow = { here: [], elsewhere: [] };
  #last: LastPlan | undefined;
  readonly #breathe: () => void;

  /** `breathe` is called between small steps. */
  constructor(restaurants: NonNullable<AreaNews['restaurants']>, breathe = (): void => undefined) {
    this.#breathe = breathe;
    this.#restaurants = new Map(restaurants.map((restaurant) => [restaurant.id, restaurant]));
  }

  answer(question: AreaQuestion, solve: Solve): AreaAnswer {
    const breathe = this.#breathe;
    const area = this.#learn(question);
    breathe();
    const withdrawals = listWithdrawals(area);
    if (withdrawals.length > 0) return { kind: 'withdraw', withdrawals };
    breathe();
    const fingerprint = fingerprintOf(area);
    const { now, isReplanWanted } = question;
    if (!isReplanWanted && this.#isGoodEnough(fingerprint, now)) return { kind: 'kept' };
    breathe();
    const problem = describeArea(area);
    breathe();
    const { orders, summary } = this.#plan(problem.request, isReplanWanted, solve);
    breathe();
    const raised = listAlarms(area, problem, orders);
    const alarms = JSON.stringify(raised);
    const areAlarmsNew = alarms !== this.#last?.alarms;
    this.#last = { fingerprint, alarms, at: now, nextActAt: findNextAct(area, orders) };
    breathe();
    const commands = listCommands(area, orders);
    breathe();
    const drafts = draftOrderPlans(area.orders, problem, orders);
    breathe();
    return {
      kind: 'planned',
      ...commands,
      plans: this.#memory.takeNews(drafts),
      alarms: areAlarmsNew ? { orderIds: area.orders.map(({ id }) => id), raised } : null,
      summary,
    };
  }

  /** With the reason of each order, be it said now or before. */
  #plan(request: PlanRequest, isThorough: boolean, solve: Solve): PlanAnswer {
    // Whatever is not explained now was explained in a plan before: the first one has to explain it all.
    const effort = { isThorough, explainsAll: isThorough || this.#planCount === 0, turn: this.#planCount };
    this.#planCount += 1;
    const { orders, summary } = solve(request, effort);
    const explained = orders.map((order) => ({ ...order, reason: order.reason ?? this.#reasons.get(order.orderId) }));
    this.#reasons = new Map(explained.flatMap(({ orderId, reason }) => (reason ? [[orderId, reason]] : [])));
    return { orders: explained, summary };
  }

  #learn({ orders, gone, couriers, now }: AreaNews): AreaNow {
    for (const known of orders) this.#orders.set(known.order.id, known);
    for (const id of gone) this.#orders.delete(id);
    if (couriers !== null) this.#couriers = couriers;
    // Always in the same order: the same area is given the same plan.
    const known = [...this.#orders.values()].toSorted((one, other) => (one.order.id < other.order.id ? -1 : 1));
    return {
      now,
      orders: known.map(({ order }) => order),
      facts: new Map(known.flatMap(({ order, facts }) => (facts === undefined ? [] : [[order.id, facts]]))),
      restaurants: this.#restaurants,
      couriers: this.#couriers.here,
      onDuty: new Set([...this.#couriers.here.map(({ id }) => id), ...this.#couriers.elsewhere]),
    };
  }

  #isGoodEnough(fingerprint: Fingerprint, now: Instant): boolean {
    const last = this.#last;
    if (last === undefined || now >= last.nextActAt) return false;
    if (!isSameList(last.fingerprint.duties, fingerprint.duties)) return false;
    const haveMoved = !isSameList(last.fingerprint.places, fingerprint.places);
    // A clock that was set back makes a plan old, too.
    return Math.abs(now - last.at) < (haveMoved ? OLDEST_PLAN_WHILE_MOVING_MS : OLDEST_PLAN_MS);
  }
}

function findNextAct({ now, orders }: Pick<AreaNow, 'now' | 'orders'>, planned: readonly PlannedOrder[]): Instant {
  const byId = new Map(orders.map((order) => [order.id, order]));
  let next = Infinity;
  for (const place of planned) {
    const order = byId.get(place.orderId);
    const offerAt = order === undefined ? null : offerTimeOf(order, place);
    if (offerAt !== null && offerAt > now && offerAt < next) next = offerAt;
  }
  return next;
}
