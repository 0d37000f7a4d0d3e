// The messages between the service and its planning threads: what is new in an area, and what to do there. They carry
// only differences, because copying a thousand orders for each plan would block the API's thread.
import type { ChangeRequest } from '../../actions/orders/change-order.ts';
import type { Trouble } from '../../domain/upkeep/set-aside.ts';
import type { Instant } from '../../domain/time.ts';
import type { CourierAtWork } from '../../store/planning/couriers.ts';
import type { PlanningRestaurant } from '../../store/planning/orders.ts';
import type { OrderPlan } from '../../store/planning/plans.ts';
import type { Alarm } from './round.ts';
import type { KnownOrder } from './describe-order.ts';
import type { PlanAnswer } from './plan-request.ts';

export interface AreaCouriers {
  /** Every courier on duty in the area. */
  here: readonly CourierAtWork[];
  /** Ids of those on duty anywhere else. */
  elsewhere: readonly string[];
}

/** What has changed in an area since its last update; everything, if `restaurants` is set. */
export interface AreaNews {
  /** Null: unchanged. Otherwise everything known about the area is replaced. */
  restaurants: readonly PlanningRestaurant[] | null;
  /** New and changed orders. */
  orders: readonly KnownOrder[];
  gone: readonly string[];
  /** Null: unchanged. */
  couriers: AreaCouriers | null;
  /** When this was read. */
  now: Instant;
}

export interface AreaQuestion extends AreaNews {
  /** Someone requested a plan, whether or not anything has changed. */
  isReplanWanted: boolean;
  /** Orders with a recently failed command: an offer that cannot be withdrawn must not block planning the others. */
  stuckOrderIds: readonly string[];
}

export type AreaAnswer =
  /** The existing plan is still good. */
  | { kind: 'kept' }
  /** Offers to withdraw. The area can be planned only after that. */
  | { kind: 'withdraw'; withdrawals: ChangeRequest[] }
  | PlannedArea;

export interface PlannedArea {
  kind: 'planned';
  routes: ChangeRequest[];
  /** To be made after the routes. */
  offers: ChangeRequest[];
  /** The plans to store. */
  plans: OrderPlan[];
  /** The alarms of these orders; null: unchanged. */
  alarms: { orderIds: string[]; raised: Alarm[] } | null;
  /** Orders and couriers that were left out. */
  troubles: Trouble[];
  summary: PlanAnswer['summary'];
}
