// Plans one area in its planning thread. Keeps the area's orders, couriers and last plan between requests and applies the
// changes that each request contains. Reads no clock and no database.
import { SECOND_MS, type Instant } from '../../domain/time.ts';
import type { AreaAnswer, AreaNews, AreaQuestion, AreaCouriers } from './updates.ts';
import { findPart, OrderNews } from './affected-part.ts';
import {
  describeArea,
  listAlarms,
  listCommands,
  listWithdrawals,
  offerTimeOf,
  type Alarm,
  type AreaSnapshot,
  type AreaProblem,
} from './round.ts';
import { fingerprintCouriers, type CouriersFingerprint } from './fingerprint.ts';
import { draftOrderPlans, PlanMemory } from './order-plans.ts';
import { SortedOrders } from './sorted-orders.ts';
import { Unplannable } from './unplannable.ts';
import type { OrderReason, PlanAnswer, PlanEffort, PlannedOrder, PlanRequest } from './plan-request.ts';

/** Without any change a plan still gets out of date: time passes, and couriers move. */
const OLDEST_PLAN_MS = 10_000;
const OLDEST_PLAN_WHILE_MOVING_MS = 5_000;
/** A new order does not wait for a full plan that has just become due. */
const GRACE_MS = 1_000;
/**
 * The next-best courier changes with time, so besides changed orders, others are explained again by rotation, at this
 * rate regardless of how many plans there are.
 */
const EXPLAINED_A_SECOND = 10;
const MAX_EXPLAINED_IN_TURN = 30;

/** The last plan of the whole area. */
interface LastPlan {
  couriers: CouriersFingerprint;
  at: Instant;
  summary: PlanAnswer['summary'];
  /** When the next offer is due, in any plan since then. */
  nextActAt: Instant;
}

/** A plan of an area, or a part of one, that is not in effect yet. */
interface Draft extends PlanAnswer {
  area: AreaSnapshot;
  problem: AreaProblem;
}

export type Solve = (request: PlanRequest, effort: PlanEffort) => PlanAnswer;

export class AreaPlanner {
  readonly #restaurants: AreaSnapshot['restaurants'];
  readonly #orders = new SortedOrders();
  /** Since the last plan. */
  readonly #news = new OrderNews();
  readonly #memory = new PlanMemory();
  readonly #unplannable = new Unplannable();
  /** The last known reason of each order. */
  readonly #reasons = new Map<string, OrderReason>();
  /** The alarms of each order that has any, serialized. */
  readonly #alarms = new Map<string, string>();
  /** The rotation's next order to explain. */
  #turn = 0;
  #couriers: AreaCouriers = { here: [], elsewhere: [] };
  #last: LastPlan | undefined;
  readonly #yieldPoint: () => void;

  /** `yieldPoint` is called between small steps. */
  constructor(restaurants: NonNullable<AreaNews['restaurants']>, yieldPoint = (): void => undefined) {
    this.#yieldPoint = yieldPoint;
    this.#restaurants = new Map(restaurants.map((restaurant) => [restaurant.id, restaurant]));
  }

  answer(question: AreaQuestion, solve: Solve): AreaAnswer {
    const area = this.#learn(question);
    this.#yieldPoint();
    const withdrawals = listWithdrawals(area).filter(({ orderId }) => !question.stuckOrderIds.includes(orderId));
    if (withdrawals.length > 0) return { kind: 'withdraw', withdrawals };
    const { now, isReplanWanted } = question;
    const couriers = fingerprintCouriers(area.couriers, now);
    this.#yieldPoint();
    const graceMs = isReplanWanted ? -Infinity : this.#graceOf(couriers, now);
    if (this.#news.isEmpty && graceMs > 0) return { kind: 'kept' };
    const part = this.#news.isEmpty || graceMs <= -GRACE_MS ? undefined : this.#planPart(area, solve);
    return part ?? this.#planWhole(area, { couriers, isReplanWanted }, solve);
  }

  /** Travel times have improved, so the last full plan is out of date. */
  noteNewRides(): void {
    if (this.#last !== undefined) this.#last = { ...this.#last, nextActAt: -Infinity };
  }

  /** How long the last full plan stays good if nothing happens. */
  #graceOf(couriers: CouriersFingerprint, now: Instant): number {
    const last = this.#last;
    if (last === undefined || now >= last.nextActAt || couriers.duties !== last.couriers.duties) return -Infinity;
    const haveMoved = couriers.places !== last.couriers.places;
    // A clock that was set back also makes a plan old.
    return (haveMoved ? OLDEST_PLAN_WHILE_MOVING_MS : OLDEST_PLAN_MS) - Math.abs(now - last.at);
  }

  /** Undefined if a full plan is needed: the area is small, much has changed, or an order got no courier. */
  #planPart(area: AreaSnapshot, solve: Solve): AreaAnswer | undefined {
    const last = this.#last;
    const part = findPart(area, this.#news, this.#yieldPoint);
    if (last === undefined || part === undefined) return undefined;
    this.#yieldPoint();
    const draft = this.#draw(part, { isThorough: false, explainsAll: false, inTurn: { first: 0, count: 0 } }, solve);
    if (draft.summary.waiting > 0) return undefined;
    const nextActAt = Math.min(last.nextActAt, findNextAct(part, draft.orders));
    this.#last = { ...last, nextActAt };
    return this.#putDown({ ...draft, summary: { ...last.summary, rounds: draft.summary.rounds } });
  }

  #planWhole(
    area: AreaSnapshot,
    { couriers, isReplanWanted }: { couriers: CouriersFingerprint; isReplanWanted: boolean },
    solve: Solve,
  ): AreaAnswer {
    const { now } = area;
    const agedMs = Math.abs(now - (this.#last?.at ?? now));
    const count = Math.min(MAX_EXPLAINED_IN_TURN, Math.ceil((agedMs / SECOND_MS) * EXPLAINED_A_SECOND));
    // Orders that are not explained now keep their reason from an earlier plan, so the first plan has to explain all.
    const explainsAll = isReplanWanted || this.#last === undefined;
    const inTurn = { first: this.#turn, count };
    this.#turn += count;
    const draft = this.#draw(area, { isThorough: isReplanWanted, explainsAll, inTurn }, solve);
    const isFirst = this.#last === undefined;
    this.#last = { couriers, at: now, summary: draft.summary, nextActAt: findNextAct(area, draft.orders) };
    this.#yieldPoint();
    return this.#putDown(draft, isFirst);
  }

  /** Every order gets its reason, either new or from an earlier plan. */
  #draw(area: AreaSnapshot, effort: PlanEffort, solve: Solve): Draft {
    const described = describeArea(area);
    this.#yieldPoint();
    const { request, answer } = this.#unplannable.plan(described.request, (asked) => solve(asked, effort));
    const problem = { ...described, request };
    for (const order of answer.orders) {
      if (order.reason === undefined) order.reason = this.#reasons.get(order.orderId);
      else this.#reasons.set(order.orderId, order.reason);
    }
    this.#yieldPoint();
    return { ...answer, area, problem };
  }

  /** Lists the commands and what to record. `isFirst`: the alarms left by an earlier planner are unknown. */
  #putDown({ area, problem, orders, summary }: Draft, isFirst = false): AreaAnswer {
    this.#news.clear();
    const raised = listAlarms(area, problem, orders);
    const areAlarmsNew = this.#noteAlarms(area, raised) || isFirst;
    this.#yieldPoint();
    const commands = listCommands(area, orders);
    this.#yieldPoint();
    const drafts = draftOrderPlans(area.byId, problem, orders);
    this.#yieldPoint();
    return {
      kind: 'planned',
      ...commands,
      plans: this.#memory.takeNews(drafts),
      alarms: areAlarmsNew ? { orderIds: area.orders.map(({ order }) => order.id), raised } : null,
      troubles: this.#unplannable.list(),
      summary,
    };
  }

  /** Whether the alarms of these orders have changed. */
  #noteAlarms({ orders }: AreaSnapshot, raised: readonly Alarm[]): boolean {
    const texts = new Map<string, string>();
    for (const alarm of raised) texts.set(alarm.orderId, (texts.get(alarm.orderId) ?? '') + JSON.stringify(alarm));
    let areNew = false;
    for (const { order } of orders) {
      const text = texts.get(order.id);
      if (text === this.#alarms.get(order.id)) continue;
      areNew = true;
      if (text === undefined) this.#alarms.delete(order.id);
      else this.#alarms.set(order.id, text);
    }
    return areNew;
  }

  #learn({ orders, gone, couriers, now }: AreaNews): AreaSnapshot {
    for (const known of orders) {
      this.#news.note(this.#orders.byId.get(known.order.id), known);
      this.#orders.set(known);
      this.#unplannable.forget(known.order.id);
    }
    for (const id of gone) {
      this.#news.note(this.#orders.byId.get(id), undefined);
      this.#orders.delete(id);
      this.#reasons.delete(id);
      this.#alarms.delete(id);
      this.#memory.forget(id);
      this.#unplannable.forget(id);
    }
    if (couriers !== null) this.#couriers = couriers;
    return {
      now,
      orders: this.#orders.list,
      byId: this.#orders.byId,
      restaurants: this.#restaurants,
      couriers: this.#couriers.here,
      onDuty: new Set([...this.#couriers.here.map(({ id }) => id), ...this.#couriers.elsewhere]),
    };
  }
}

function findNextAct({ now, byId }: Pick<AreaSnapshot, 'now' | 'byId'>, planned: readonly PlannedOrder[]): Instant {
  let next = Infinity;
  for (const place of planned) {
    const order = byId.get(place.orderId)?.order;
    const offerAt = order === undefined ? null : offerTimeOf(order, place);
    if (offerAt !== null && offerAt > now && offerAt < next) next = offerAt;
  }
  return next;
}
