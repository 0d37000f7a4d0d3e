// One area as its planning thread knows it: orders, couriers and the last plan, kept from question to question and brought
// up to date by what is new in each. Nothing here reads a clock or a database.
import { SECOND_MS, type Instant } from '../../domain/time.ts';
import type { AreaAnswer, AreaNews, AreaQuestion, CouriersNow } from './updates.ts';
import { findPart, OrderNews } from './affected-part.ts';
import {
  describeArea,
  listAlarms,
  listCommands,
  listWithdrawals,
  offerTimeOf,
  type Alarm,
  type AreaNow,
  type AreaProblem,
} from './round.ts';
import { fingerprintCouriers, type CouriersPrint } from './fingerprint.ts';
import { draftOrderPlans, PlanMemory } from './order-plans.ts';
import { SortedOrders } from './sorted-orders.ts';
import { Unplannable } from './unplannable.ts';
import type { OrderReason, PlanAnswer, PlanEffort, PlannedOrder, PlanRequest } from './plan-request.ts';

/** While nothing happens the same plan still ages: times move on, and so do couriers. */
const OLDEST_PLAN_MS = 10_000;
const OLDEST_PLAN_WHILE_MOVING_MS = 5_000;
/** What is new does not wait for the plan of the whole area that has just fallen due. */
const GRACE_MS = 1_000;
/**
 * Who would be next best changes with time: besides the orders that changed, others are explained anew, round and round,
 * so many a second however many plans there are.
 */
const EXPLAINED_A_SECOND = 10;
const MOST_EXPLAINED_IN_TURN = 30;

/** The last plan of the whole area. */
interface LastPlan {
  couriers: CouriersPrint;
  at: Instant;
  summary: PlanAnswer['summary'];
  /** When somebody has to be asked, in whichever plan since then. */
  nextActAt: Instant;
}

/** A plan that is not in effect yet, of an area or a part of one. */
interface Draft extends PlanAnswer {
  area: AreaNow;
  problem: AreaProblem;
}

export type Solve = (request: PlanRequest, effort: PlanEffort) => PlanAnswer;

export class AreaDesk {
  readonly #restaurants: AreaNow['restaurants'];
  readonly #orders = new SortedOrders();
  /** Since the last plan. */
  readonly #news = new OrderNews();
  readonly #memory = new PlanMemory();
  readonly #unplannable = new Unplannable();
  /** What was said last of each order. */
  readonly #reasons = new Map<string, OrderReason>();
  /** The alarms of each order that has some, as texts. */
  readonly #alarms = new Map<string, string>();
  /** Whose turn it is to be explained anew. */
  #turn = 0;
  #couriers: CouriersNow = { here: [], elsewhere: [] };
  #last: LastPlan | undefined;
  readonly #breathe: () => void;

  /** `breathe` is called between small steps. */
  constructor(restaurants: NonNullable<AreaNews['restaurants']>, breathe = (): void => undefined) {
    this.#breathe = breathe;
    this.#restaurants = new Map(restaurants.map((restaurant) => [restaurant.id, restaurant]));
  }

  answer(question: AreaQuestion, solve: Solve): AreaAnswer {
    const area = this.#learn(question);
    this.#breathe();
    const withdrawals = listWithdrawals(area).filter(({ orderId }) => !question.stuckOrderIds.includes(orderId));
    if (withdrawals.length > 0) return { kind: 'withdraw', withdrawals };
    const { now, isReplanWanted } = question;
    const couriers = fingerprintCouriers(area.couriers, now);
    this.#breathe();
    const graceMs = isReplanWanted ? -Infinity : this.#graceOf(couriers, now);
    if (this.#news.isEmpty && graceMs > 0) return { kind: 'kept' };
    const part = this.#news.isEmpty || graceMs <= -GRACE_MS ? undefined : this.#planPart(area, solve);
    return part ?? this.#planWhole(area, { couriers, isReplanWanted }, solve);
  }

  /** Rides are better known now: the plan of the whole area will not do any longer. */
  noteNewRides(): void {
    if (this.#last !== undefined) this.#last = { ...this.#last, nextActAt: -Infinity };
  }

  /** How long the last plan of the whole area will do yet, if nothing happens. */
  #graceOf(couriers: CouriersPrint, now: Instant): number {
    const last = this.#last;
    if (last === undefined || now >= last.nextActAt || couriers.duties !== last.couriers.duties) return -Infinity;
    const haveMoved = couriers.places !== last.couriers.places;
    // A clock that was set back makes a plan old, too.
    return (haveMoved ? OLDEST_PLAN_WHILE_MOVING_MS : OLDEST_PLAN_MS) - Math.abs(now - last.at);
  }

  /** Undefined where that would not be enough: the area is small, much has happened, or an order found no place there. */
  #planPart(area: AreaNow, solve: Solve): AreaAnswer | undefined {
    const last = this.#last;
    const part = findPart(area, this.#news, this.#breathe);
    if (last === undefined || part === undefined) return undefined;
    this.#breathe();
    const draft = this.#draw(part, { isThorough: false, explainsAll: false, inTurn: { first: 0, count: 0 } }, solve);
    if (draft.summary.waiting > 0) return undefined;
    const nextActAt = Math.min(last.nextActAt, findNextAct(part, draft.orders));
    this.#last = { ...last, nextActAt };
    return this.#putDown({ ...draft, summary: { ...last.summary, rounds: draft.summary.rounds } });
  }

  #planWhole(
    area: AreaNow,
    { couriers, isReplanWanted }: { couriers: CouriersPrint; isReplanWanted: boolean },
    solve: Solve,
  ): AreaAnswer {
    const { now } = area;
    const agedMs = Math.abs(now - (this.#last?.at ?? now));
    const count = Math.min(MOST_EXPLAINED_IN_TURN, Math.ceil((agedMs / SECOND_MS) * EXPLAINED_A_SECOND));
    // Whatever is not explained now was explained in a plan before: the first one has to explain it all.
    const explainsAll = isReplanWanted || this.#last === undefined;
    const inTurn = { first: this.#turn, count };
    this.#turn += count;
    const draft = this.#draw(area, { isThorough: isReplanWanted, explainsAll, inTurn }, solve);
    const isFirst = this.#last === undefined;
    this.#last = { couriers, at: now, summary: draft.summary, nextActAt: findNextAct(area, draft.orders) };
    this.#breathe();
    return this.#putDown(draft, isFirst);
  }

  /** With the reason of each order, be it said now or before. */
  #draw(area: AreaNow, effort: PlanEffort, solve: Solve): Draft {
    const described = describeArea(area);
    this.#breathe();
    const { request, answer } = this.#unplannable.plan(described.request, (asked) => solve(asked, effort));
    const problem = { ...described, request };
    for (const order of answer.orders) {
      if (order.reason === undefined) order.reason = this.#reasons.get(order.orderId);
      else this.#reasons.set(order.orderId, order.reason);
    }
    this.#breathe();
    return { ...answer, area, problem };
  }

  /** What is to be done, and what is new in it. `isFirst`: nobody knows what an earlier planner has left. */
  #putDown({ area, problem, orders, summary }: Draft, isFirst = false): AreaAnswer {
    this.#news.clear();
    const raised = listAlarms(area, problem, orders);
    const areAlarmsNew = this.#noteAlarms(area, raised) || isFirst;
    this.#breathe();
    const commands = listCommands(area, orders);
    this.#breathe();
    const drafts = draftOrderPlans(area.byId, problem, orders);
    this.#breathe();
    return {
      kind: 'planned',
      ...commands,
      plans: this.#memory.takeNews(drafts),
      alarms: areAlarmsNew ? { orderIds: area.orders.map(({ order }) => order.id), raised } : null,
      troubles: this.#unplannable.list(),
      summary,
    };
  }

  /** Whether the alarms of these orders are others than they were. */
  #noteAlarms({ orders }: AreaNow, raised: readonly Alarm[]): boolean {
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

  #learn({ orders, gone, couriers, now }: AreaNews): AreaNow {
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

function findNextAct({ now, byId }: Pick<AreaNow, 'now' | 'byId'>, planned: readonly PlannedOrder[]): Instant {
  let next = Infinity;
  for (const place of planned) {
    const order = byId.get(place.orderId)?.order;
    const offerAt = order === undefined ? null : offerTimeOf(order, place);
    if (offerAt !== null && offerAt > now && offerAt < next) next = offerAt;
  }
  return next;
}
