// What an area is planned without. Orders and couriers with values that no plan can use are left out immediately. If
// making a plan fails, the ones that cause it are found by bisection and left out for a while, or until they change.
// All others in the area still get their plan.
import type { Place } from '../../domain/geo.ts';
import { describeError, type Trouble } from '../../domain/upkeep/set-aside.ts';
import { MINUTE_MS, type Instant } from '../../domain/time.ts';
import type { CourierToPlan, OrderToPlan, PlanAnswer, PlanRequest } from './plan-request.ts';

const LEFT_OUT_MS = MINUTE_MS;
/** If more orders than this fail individually, they are not the cause. */
const MAX_CULPRITS = 4;

export type Plan = (request: PlanRequest) => PlanAnswer;

interface LeftOut {
  trouble: Trouble;
  until: Instant;
}

export class Unplannable {
  readonly #leftOut = new Map<string, LeftOut>();

  /** What was left out of the last plan. */
  list(): Trouble[] {
    return [...this.#leftOut.values()].map(({ trouble }) => trouble);
  }

  /** The item has changed or is gone: the next plan includes it again. */
  forget(id: string): void {
    this.#leftOut.delete(id);
  }

  /** Also returns the request that was actually planned. Throws if no order or courier explains the failure. */
  plan(whole: PlanRequest, plan: Plan): { request: PlanRequest; answer: PlanAnswer } {
    const request = this.#siftKnown(whole);
    try {
      return { request, answer: plan(request) };
    } catch (error) {
      const culprits = findCulprits(request, plan);
      if (culprits.length === 0) throw error;
      for (const trouble of culprits) this.#leave(trouble, request.now);
      const rest = this.#siftKnown(request);
      return { request: rest, answer: plan(rest) };
    }
  }

  #siftKnown({ now, orders, couriers }: PlanRequest): PlanRequest {
    for (const [id, { until }] of this.#leftOut) if (until <= now) this.#leftOut.delete(id);
    const isUsable = (kind: 'order' | 'courier', id: string, reason: string | null): boolean => {
      if (reason !== null) this.#leave({ kind, id, reason }, now);
      return !this.#leftOut.has(id);
    };
    return {
      now,
      orders: orders.filter((order) => isUsable('order', order.id, whyNoOrder(order))),
      couriers: couriers.filter((courier) => isUsable('courier', courier.id, whyNoCourier(courier))),
    };
  }

  #leave(trouble: Trouble, now: Instant): void {
    this.#leftOut.set(trouble.id, { trouble, until: now + LEFT_OUT_MS });
  }
}

function whyNoOrder({ pickup, dropoff, readyAt, dueAt, dropoffFrom, bags }: OrderToPlan): string | null {
  if (!areValidCoordinates(pickup)) return 'The coordinates of the pickup are invalid';
  if (!areValidCoordinates(dropoff)) return 'The coordinates of the drop-off are invalid';
  const figures = [readyAt, dueAt, dropoffFrom ?? 0, bags];
  return figures.every(Number.isFinite) ? null : 'A time or the number of bags is not a number';
}

function whyNoCourier({ place, capacity, shiftEndsAt }: CourierToPlan): string | null {
  if (!areValidCoordinates(place)) return 'The coordinates of the courier are invalid';
  return [capacity, shiftEndsAt ?? 0].every(Number.isFinite)
    ? null
    : 'The capacity or the end of the shift is not a number';
}

function areValidCoordinates({ latitude, longitude }: Place): boolean {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
}

function findCulprits(request: PlanRequest, plan: Plan): Trouble[] {
  const orders = findFailing(request.orders, (some) => plan({ ...request, orders: some }));
  if (orders.length > 0 && orders.length <= MAX_CULPRITS) return orders.map((one) => toTrouble('order', one));
  const couriers = findFailing(request.couriers, (some) => plan({ ...request, couriers: some }));
  return couriers.length <= MAX_CULPRITS ? couriers.map((one) => toTrouble('courier', one)) : [];
}

interface Failing {
  id: string;
  error: unknown;
}

/** The items that fail individually. Stops at one more than the limit, which shows that they are not the cause. */
function findFailing<Item extends { id: string }>(items: readonly Item[], work: (items: Item[]) => void): Failing[] {
  const failing: Failing[] = [];
  const search = (some: Item[]): void => {
    const [only] = some;
    if (only === undefined || failing.length > MAX_CULPRITS) return;
    try {
      work(some);
    } catch (error) {
      if (some.length === 1) return void failing.push({ id: only.id, error });
      const middle = some.length >> 1;
      search(some.slice(0, middle));
      search(some.slice(middle));
    }
  };
  search([...items]);
  return failing;
}

function toTrouble(kind: 'order' | 'courier', { id, error }: Failing): Trouble {
  return { kind, id, reason: `Planning failed: ${describeError(error)}` };
}
