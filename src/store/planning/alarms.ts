// Issues that need attention now. A row exists for as long as its cause does.
import { PLANNER_ALARM_KINDS, type AlarmKind } from '../../domain/planning/alarms.ts';
import type { Instant } from '../../domain/time.ts';
import { isCourierKnown } from '../couriers/couriers.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface PlanningAlarm {
  orderId: string;
  kind: AlarmKind;
  courierId: string | null;
  /** One sentence for people to read. */
  detail: string;
}

const SET = `
  with wanted as (
    select * from json_to_recordset($2::json) as w(order_id uuid, kind text, courier_id uuid, detail text)
  ),
  cleared as (
    delete from planning_alarms a
    where a.order_id = any($1::uuid[]) and a.kind = any($4::text[])
      and not exists (select from wanted w where w.order_id = a.order_id and w.kind = a.kind)
  )
  insert into planning_alarms (order_id, kind, courier_id, detail, raised_at)
  select w.order_id, w.kind, w.courier_id, w.detail, $3::timestamptz from wanted w
  order by w.order_id, w.kind
  on conflict (order_id, kind) do update set courier_id = excluded.courier_id, detail = excluded.detail
  where (planning_alarms.courier_id, planning_alarms.detail) is distinct from (excluded.courier_id, excluded.detail)
  returning order_id, kind, xmax = 0 as is_new`;

/** Replaces the planner's alarms of the given orders with these; returns the new ones. */
export async function setPlanningAlarms(
  db: Queryable,
  write: { orderIds: readonly string[]; alarms: readonly PlanningAlarm[]; now: Instant },
): Promise<{ orderId: string; kind: AlarmKind }[]> {
  const alarms = await db.query<{ orderId: string; kind: AlarmKind; isNew: boolean }>(
    { name: 'set_planning_alarms', text: SET },
    [write.orderIds, JSON.stringify(write.alarms.map(toRow)), toTimestamp(write.now), PLANNER_ALARM_KINDS],
  );
  return alarms.filter(({ isNew }) => isNew).map(({ orderId, kind }) => ({ orderId, kind }));
}

export async function raiseAlarm(tx: Queryable, alarm: PlanningAlarm & { raisedAt: Instant }): Promise<void> {
  await tx.query(
    `insert into planning_alarms (order_id, kind, courier_id, detail, raised_at) values ($1, $2, $3, $4, $5)
     on conflict (order_id, kind) do update set courier_id = excluded.courier_id, detail = excluded.detail`,
    [alarm.orderId, alarm.kind, alarm.courierId, alarm.detail, toTimestamp(alarm.raisedAt)],
  );
}

export async function clearAlarm(tx: Queryable, orderId: string, kind: AlarmKind): Promise<boolean> {
  const rows = await tx.query('delete from planning_alarms where order_id = $1 and kind = $2 returning order_id', [
    orderId,
    kind,
  ]);
  return rows.length > 0;
}

export interface AlarmView extends PlanningAlarm {
  orderNumber: string;
  courierName: string | null;
  raisedAt: Instant;
}

/** Used if the restaurant does not know the courier: the exact delay would reveal how far away they are. */
const LATE_WITH_UNKNOWN_COURIER = 'It will be more than 10 minutes late.';

/** `restaurantId` null: all restaurants; `orderId`: only that order. Oldest first. */
export async function listAlarms(
  db: Queryable,
  restaurantId: string | null,
  orderId: string | null = null,
): Promise<AlarmView[]> {
  const rows = await db.query<AlarmView & { isCourierKnown: boolean }>(
    `select a.order_id, o.order_number, a.kind, a.courier_id, c.name as courier_name, a.detail, a.raised_at,
       ${isCourierKnown('a.courier_id', 'o.restaurant_id')} as is_courier_known
     from planning_alarms a join orders o on o.id = a.order_id left join couriers c on c.id = a.courier_id
     where o.finished_at is null and ($1::uuid is null or o.restaurant_id = $1) and ($2::uuid is null or o.id = $2)
     order by a.raised_at, a.order_id`,
    [restaurantId, orderId],
  );
  return rows.map(({ isCourierKnown: isKnown, ...alarm }) =>
    restaurantId === null || alarm.kind !== 'NO_COURIER_IN_TIME' || isKnown ? alarm : hideCourier(alarm),
  );
}

function hideCourier(alarm: AlarmView): AlarmView {
  const detail = alarm.courierId === null ? alarm.detail : LATE_WITH_UNKNOWN_COURIER;
  return { ...alarm, courierId: null, courierName: null, detail };
}

function toRow(alarm: PlanningAlarm): Record<string, unknown> {
  return { order_id: alarm.orderId, kind: alarm.kind, courier_id: alarm.courierId, detail: alarm.detail };
}
