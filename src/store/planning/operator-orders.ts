// Orders for the person supervising the plan: orders with an alarm, waiting or locked to a courier; and single orders.
import type { OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toInstant } from '../database/timestamps.ts';
import type { AlarmKind } from './alarms.ts';
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

interface PlannedRow {
  id: string;
  order_number: string;
  restaurant_name: string;
  state: OrderState;
  created_at: Date;
  courier_id: string | null;
  courier_name: string | null;
  locked_to: string | null;
  locked_name: string | null;
  wait: Extract<PlanExplanation, { kind: 'waiting' }> | null;
  alarms: { kind: AlarmKind; detail: string; raised_ms: number }[] | null;
}

// A new order waits for approval by people, not for the planner, even if an old plan says otherwise.
const LIST = `
  select o.id, o.order_number, r.name as restaurant_name, o.state, o.created_at, o.courier_id,
    c.name as courier_name, p.locked_to, l.name as locked_name, a.alarms,
    case when o.state <> 'NEW' and p.explanation ->> 'kind' = 'waiting' then p.explanation end as wait
  from orders o
  join restaurants r on r.id = o.restaurant_id
  left join order_plans p on p.order_id = o.id
  left join couriers c on c.id = o.courier_id
  left join couriers l on l.id = p.locked_to
  left join lateral (
    select json_agg(json_build_object('kind', kind, 'detail', detail, 'raised_ms', extract(epoch from raised_at) * 1000)
      order by raised_at, kind) as alarms
    from planning_alarms where order_id = o.id
  ) a on true
  where o.finished_at is null and (a.alarms is not null or p.locked_to is not null
    or (o.state <> 'NEW' and p.explanation ->> 'kind' = 'waiting'))
  order by a.alarms is null, o.created_at, o.id
  limit $1`;

/** Alarms first, then the oldest. */
export async function listOrdersOfThePlan(db: Queryable, limit: number): Promise<PlannedOrder[]> {
  const rows = await db.query<PlannedRow>({ name: 'list_orders_of_the_plan', text: LIST }, [limit]);
  return rows.map((row) => ({
    orderId: row.id,
    orderNumber: row.order_number,
    restaurantName: row.restaurant_name,
    state: row.state,
    createdAt: row.created_at.getTime(),
    courier: toNamed(row.courier_id, row.courier_name),
    lockedTo: toNamed(row.locked_to, row.locked_name),
    wait: row.wait,
    alarms: (row.alarms ?? []).map(({ kind, detail, raised_ms }) => ({
      kind,
      detail,
      raisedAt: Math.round(raised_ms),
    })),
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

interface InPlanRow extends Omit<PlannedRow, 'wait' | 'alarms'> {
  restaurant_id: string;
  time_zone: string;
  courier_offered_at: Date | null;
  courier_accepted_at: Date | null;
  chosen_by: string | null;
  planned_courier_id: string | null;
  pickup_at: Date | null;
  dropoff_at: Date | null;
  explanation: PlanExplanation | null;
  planned_at: Date | null;
}

const FIND = `
  select o.id, o.order_number, o.restaurant_id, r.name as restaurant_name, r.time_zone, o.state, o.created_at,
    o.courier_id, c.name as courier_name, o.courier_offered_at, o.courier_accepted_at,
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
  return (
    row && {
      orderId: row.id,
      orderNumber: row.order_number,
      restaurantId: row.restaurant_id,
      restaurantName: row.restaurant_name,
      timeZone: row.time_zone,
      state: row.state,
      createdAt: row.created_at.getTime(),
      courier: toNamed(row.courier_id, row.courier_name),
      offeredAt: toInstant(row.courier_offered_at),
      acceptedAt: toInstant(row.courier_accepted_at),
      chosenBy: row.chosen_by,
      plan: {
        courierId: row.planned_courier_id,
        pickupAt: toInstant(row.pickup_at),
        dropoffAt: toInstant(row.dropoff_at),
        explanation: row.explanation,
        lockedTo: toNamed(row.locked_to, row.locked_name),
        plannedAt: toInstant(row.planned_at),
      },
    }
  );
}

function toNamed(id: string | null, name: string | null): Named | null {
  return id === null ? null : { id, name };
}
