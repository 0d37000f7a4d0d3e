// All live orders for the operator: how many there are, which are late, which wait and why.
import { APPROVAL_AGE_MS, DELIVERY_AGE_MS } from '../../domain/orders/lateness.ts';
import type { OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';
import type { AlarmKind } from '../../domain/planning/alarms.ts';

export interface OrderCount {
  state: OrderState;
  isLate: boolean;
  /** The planner's reason for keeping them waiting. */
  waitReason: string | null;
  count: number;
}

export interface OrderToLookAt {
  orderId: string;
  orderNumber: string;
  /** The integrator's order id. */
  providerOrderId: string;
  restaurantId: string;
  restaurantName: string;
  state: OrderState;
  createdAt: Instant;
  isLate: boolean;
  waitReason: string | null;
  alarm: { kind: AlarmKind; detail: string; raisedAt: Instant } | null;
}

// A new order waits for approval by people, and one with a courier no longer waits, even if an old plan says so.
const LIVE = `
  select o.id as order_id, o.order_number, o.provider_order_id, o.restaurant_id, o.state, o.created_at,
    case when o.state <> 'NEW' and o.courier_id is null and p.explanation ->> 'kind' = 'waiting'
      then p.explanation ->> 'reason' end as wait_reason,
    case when o.state = 'NEW' then o.created_at <= $1::timestamptz - interval '${APPROVAL_AGE_MS.late} milliseconds'
      else case when o.wanted_at is null then o.created_at
          else greatest(o.created_at, o.wanted_at) - interval '${DELIVERY_AGE_MS.soon} milliseconds' end
        <= $1::timestamptz - interval '${DELIVERY_AGE_MS.late} milliseconds' end as is_late
  from orders o
  left join order_plans p on p.order_id = o.id
  where o.finished_at is null`;

export function countLiveOrders(db: Queryable, now: Instant): Promise<OrderCount[]> {
  return db.query<OrderCount>(
    {
      name: 'count_live_orders',
      text: `select state, is_late, wait_reason, count(*)::int as count from (${LIVE}) live group by 1, 2, 3`,
    },
    [toTimestamp(now)],
  );
}

interface LookRow extends Omit<OrderToLookAt, 'alarm'> {
  alarmKind: AlarmKind | null;
  alarmDetail: string | null;
  alarmRaisedAt: Instant | null;
}

// An order wanted later is supposed to wait.
const LIST_TO_LOOK_AT = `
  select live.*, r.name as restaurant_name, a.kind as alarm_kind, a.detail as alarm_detail,
    a.raised_at as alarm_raised_at
  from (${LIVE}) live
  join restaurants r on r.id = live.restaurant_id
  left join lateral (
    select kind, detail, raised_at from planning_alarms where order_id = live.order_id order by raised_at, kind limit 1
  ) a on true
  where live.is_late or a.kind is not null or live.wait_reason <> 'NOT_YET'
  order by a.kind is null, live.is_late desc, live.created_at, live.order_id
  limit $2`;

/** Alarms first, then late orders, then orders waiting for a courier; oldest first within each group. */
export async function listOrdersToLookAt(db: Queryable, now: Instant, limit: number): Promise<OrderToLookAt[]> {
  const rows = await db.query<LookRow>({ name: 'list_orders_to_look_at', text: LIST_TO_LOOK_AT }, [
    toTimestamp(now),
    limit,
  ]);
  return rows.map(({ alarmKind: kind, alarmDetail: detail, alarmRaisedAt: raisedAt, ...order }) => ({
    ...order,
    alarm: kind === null || detail === null || raisedAt === null ? null : { kind, detail, raisedAt },
  }));
}
