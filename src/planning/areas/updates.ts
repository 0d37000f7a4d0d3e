// What crosses the line between the service and its planning threads: what is new in an area, and what is to be done
// there. Only differences cross it, because copying a thousand orders for each plan would hold up the API's own thread.
import type { ChangeRequest } from '../../actions/orders/change-order.ts';
import type { Trouble } from '../../domain/upkeep/set-aside.ts';
import type { Instant } from '../../domain/time.ts';
import type { CourierAtWork } from '../../store/planning/couriers.ts';
import type { PlanningRestaurant } from '../../store/planning/orders.ts';
import type { OrderPlan } from '../../store/planning/plans.ts';
import type { Alarm } from './round.ts';
import type { KnownOrder } from './describe-order.ts';
import type { PlanAnswer } from './plan-request.ts';

export interface CouriersNow {
  /** Every courier on duty in the area. */
  here: readonly CourierAtWork[];
  /** Ids of those on duty anywhere else. */
  elsewhere: readonly string[];
}

/** What is new in an area since it was told last; all there is, where its restaurants are told. */
export interface AreaNews {
  /** Null: as before. With them, whatever was known of the area is forgotten. */
  restaurants: readonly PlanningRestaurant[] | null;
  /** Those that changed or came. */
  orders: readonly KnownOrder[];
  gone: readonly string[];
  /** Null: as before. */
  couriers: CouriersNow | null;
  /** When that was so. */
  now: Instant;
}

export interface AreaQuestion extends AreaNews {
  /** Somebody asked for a plan, whether there is anything new or not. */
  isReplanWanted: boolean;
  /** Orders of which a command has just failed: what cannot be taken back must not keep the others from being planned. */
  stuckOrderIds: readonly string[];
}

export type AreaAnswer =
  /** The plan that there is will do. */
  | { kind: 'kept' }
  /** Offers that nobody answers any more: what is to be planned is known after they are taken back. */
  | { kind: 'withdraw'; withdrawals: ChangeRequest[] }
  | PlannedArea;

export interface PlannedArea {
  kind: 'planned';
  routes: ChangeRequest[];
  /** To be made after the routes. */
  offers: ChangeRequest[];
  /** What is to be written down of the plan. */
  plans: OrderPlan[];
  /** Of these orders; null: as before. */
  alarms: { orderIds: string[]; raised: Alarm[] } | null;
  /** What it was planned without. */
  troubles: Trouble[];
  summary: PlanAnswer['summary'];
}
