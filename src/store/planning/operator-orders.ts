// Orders for the person supervising the plan: orders with an alarm, waiting or locked to a courier; and single orders.
import type { OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import type { AlarmKind } from '../../domain/planning/alarms.ts';
import { CHOSEN_BY, type PlanExplanation } from './plans.ts';

interface Named {
  id: string;
  name: string | null;
}

export interface PlannedOrder {
  orderId: string;
  orderNumber: string;
  restaurantName: string;
  state: OrderState;
  createdAt: Instant;
  courier: Named | null;
  lockedTo: Named | null;
  wait: Extract<PlanExplanation, { kind: 'waiting' }> | null;
  alarms: { kind: AlarmKind; detail: string; raisedAt: Instant }[];
}

interface NamedColumns {
  courierId: string | null;
  courierName: string | null;
  lockedTo: string | null;
  lockedName: string | null;
}

type PlannedRow = Omit<PlannedOrder, 'courier' | 'lockedTo'> & NamedColumns;

// A new order waits for approval by people, not for the planner, even if an old plan says otherwise.
const LIST = `
  select o.id as order_id, o.order_number, r.name as restaurant_name, o.state, o.created_at, o.courier_id,
    c.name as courier_name, p.locked_to, l.name as locked_name, coalesce(a.alarms, '[]') as alarms,
    case when o.state <> 'NEW' and p.explanation ->> 'kind' = 'waiting' then p.explanation end as wait
  from orders o
  join restaurants r on r.id = o.restaurant_id
  left join order_plans p on p.order_id = o.id
  left join couriers c on c.id = o.courier_id
  left join couriers l on l.id = p.locked_to
  left join lateral (
    select json_agg(json_build_object('kind', kind, 'detail', detail,
      'raisedAt', round(extract(epoch from raised_at) * 1000)) order by raised_at, kind) as alarms
    from planning_alarms where order_id = o.id
  ) a on true
  where o.finished_at is null and (a.alarms is not null or p.locked_to is not null
    or (o.state <> 'NEW' and p.explanation ->> 'kind' = 'waiting'))
  order by a.alarms is null, o.created_at, o.id
  limit $1`;

/** Alarms first, then the oldest. */
export async function listOrdersOfThePlan(db: Queryable, limit: number): Promise<PlannedOrder[]> {
  const rows = await db.query<PlannedRow>({ name: 'list_orders_of_the_plan', text: LIST }, [limit]);
  return rows.map(({ courierId, courierName, lockedTo, lockedName, ...order }) => ({
    ...order,
    courier: toNamed(courierId, courierName),
    lockedTo: toNamed(lockedTo, lockedName),
  }));
}

export interface OrderInPlan {
  orderId: string;
  orderNumber: string;
  restaurantId: string;
  restaurantName: string;
  timeZone: string;
  state: OrderState;
  createdAt: Instant;
  courier: Named | null;
  offeredAt: Instant | null;
  acceptedAt: Instant | null;
  /** Who assigned it to the courier. */
  chosenBy: string | null;
  plan: {
    courierId: string | null;
    pickupAt: Instant | null;
    dropoffAt: Instant | null;
    explanation: PlanExplanation | null;
    lockedTo: Named | null;
    plannedAt: Instant | null;
  };
}

interface InPlanRow
  extends Omit<OrderInPlan, 'courier' | 'plan'>, Omit<OrderInPlan['plan'], 'courierId' | 'lockedTo'>, NamedColumns {
  plannedCourierId: string | null;
}

const FIND = `
  select o.id as order_id, o.order_number, o.restaurant_id, r.name as restaurant_name, r.time_zone, o.state,
    o.created_at, o.courier_id, c.name as courier_name, o.courier_offered_at as offered_at,
    o.courier_accepted_at as accepted_at,
    ${CHOSEN_BY} as chosen_by,
    p.courier_id as planned_courier_id, p.pickup_at, p.dropoff_at, p.explanation, p.locked_to, l.name as locked_name,
    p.planned_at
  from orders o
  join restaurants r on r.id = o.restaurant_id
  left join order_plans p on p.order_id = o.id
  left join couriers c on c.id = o.courier_id
  left join couriers l on l.id = p.locked_to
  where o.id = $1 and ($2::uuid is null or o.restaurant_id = $2)`;

/** `restaurantId` null: any restaurant. */
export async function findOrderInPlan(
  db: Queryable,
  orderId: string,
  restaurantId: string | null,
): Promise<OrderInPlan | undefined> {
  const [row] = await db.query<InPlanRow>({ name: 'find_order_in_plan', text: FIND }, [orderId, restaurantId]);
  return row && toOrderInPlan(row);
}

function toOrderInPlan({ courierId, courierName, lockedTo, lockedName, ...row }: InPlanRow): OrderInPlan {
  const { plannedCourierId, pickupAt, dropoffAt, explanation, plannedAt, ...order } = row;
  return {
    ...order,
    courier: toNamed(courierId, courierName),
    plan: {
      courierId: plannedCourierId,
      pickupAt,
      dropoffAt,
      explanation,
      lockedTo: toNamed(lockedTo, lockedName),
      plannedAt,
    },
  };
}

function toNamed(id: string | null, name: string | null): Named | null {
  return id === null ? null : { id, name };
}
