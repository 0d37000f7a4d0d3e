// The place of each live order in the plan, with its times and the reason.
import { showEta } from '../../domain/couriers/privacy.ts';
import type { Instant } from '../../domain/time.ts';
import type { WaitReason } from '../../domain/planning/wait-reasons.ts';
import { isCourierKnown } from '../couriers/couriers.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';
import type { PlanSummary } from './areas.ts';

/** A courier and their cost: relative to the chosen courier, or the total if none was chosen. */
export interface PricedCourier {
  courierId: string;
  extraCost: number;
}

/** Why the plan gave an order to this courier. */
export interface Choice {
  /** In the planner's cost unit, seconds of delay. */
  extraCost: number;
  nextBest: PricedCourier | null;
}

/** `choice`: the plan's reason for the current courier, from when the order was planned for them. */
export type PlanExplanation =
  | { kind: 'accepted'; courierId: string; choice?: Choice }
  | { kind: 'offered'; courierId: string; until: string; choice?: Choice }
  | (Choice & {
      kind: 'placed';
      courierId: string;
      /** When the offer is sent to the courier. */
      offerAt: string;
    })
  | {
      kind: 'waiting';
      reason: WaitReason;
      /** When planning begins, or when the system gives up on the order; null if neither ever happens. */
      until: string | null;
      /** The cheapest courier, if even that one costs too much. */
      cheapest?: PricedCourier;
    };

/**
 * In a query of orders `o`: who gave the order to its current courier, according to the history. (Sorted by the sum:
 * if sorted by the id itself, PostgreSQL might read every order's history backward to find this one's.)
 */
export const CHOSEN_BY = `
  case when o.courier_id is not null then (
    select h.actor from order_history h
    where h.order_id = o.id and h.at >= o.created_at and h.courier_id = o.courier_id
      and h.kind in ('courier_offered', 'courier_attached', 'courier_replaced')
    order by h.id + 0 desc limit 1
  ) end`;

export interface OrderPlan {
  orderId: string;
  courierId: string | null;
  pickupPlace: number | null;
  dropoffPlace: number | null;
  pickupAt: Instant | null;
  dropoffAt: Instant | null;
  /** Null if the last explanation still holds. */
  explanation: PlanExplanation | null;
}

// For an order with a courier, planners report only that. The reason for the choice is kept here, so that no planner
// has to remember it, whether another planner or the same one after a restart.
const EXPLANATION = `
  case when excluded.explanation ->> 'kind' in ('offered', 'accepted')
      and excluded.explanation ->> 'courierId' = order_plans.explanation ->> 'courierId'
      and (order_plans.explanation ->> 'kind' = 'placed' or order_plans.explanation -> 'choice' is not null)
    then (excluded.explanation::jsonb || jsonb_build_object('choice', coalesce(
      order_plans.explanation -> 'choice',
      json_build_object('extraCost', order_plans.explanation -> 'extraCost', 'nextBest',
        order_plans.explanation -> 'nextBest'))))::json
    else coalesce(excluded.explanation, order_plans.explanation)
  end`;

const SAVE = `
  insert into order_plans (order_id, courier_id, pickup_place, dropoff_place, pickup_at, dropoff_at, explanation,
    planned_at)
  select n.order_id, n.courier_id, n.pickup_place, n.dropoff_place, n.pickup_at, n.dropoff_at, n.explanation,
    $2::timestamptz
  from json_to_recordset($1::json) as n(order_id uuid, courier_id uuid, pickup_place integer, dropoff_place integer,
    pickup_at timestamptz, dropoff_at timestamptz, explanation json)
  order by n.order_id
  on conflict (order_id) do update
  set courier_id = excluded.courier_id, pickup_place = excluded.pickup_place, dropoff_place = excluded.dropoff_place,
    pickup_at = excluded.pickup_at, dropoff_at = excluded.dropoff_at,
    explanation = ${EXPLANATION}, planned_at = excluded.planned_at`;

export async function saveOrderPlans(db: Queryable, plans: readonly OrderPlan[], now: Instant): Promise<void> {
  await db.query({ name: 'save_order_plans', text: SAVE }, [toRows(plans), toTimestamp(now)]);
}

const RECORD = `
  with saved as (${SAVE})
  update planning_areas set planned_at = $2, summary = $4, replan_wanted = replan_wanted and not $5 where id = $3`;

/**
 * Records a plan of an area: its changes and its summary. Replan requests made while it was computed stay open. One
 * statement, because each commit waits for the disk.
 */
export async function recordPlan(
  db: Queryable,
  areaId: string,
  plan: { news: readonly OrderPlan[]; summary: PlanSummary; at: Instant; isWished: boolean },
): Promise<void> {
  await db.query({ name: 'record_plan', text: RECORD }, [
    toRows(plan.news),
    toTimestamp(plan.at),
    areaId,
    JSON.stringify(plan.summary),
    plan.isWished,
  ]);
}

function toRows(plans: readonly OrderPlan[]): string {
  const rows = plans.map((plan) => ({
    order_id: plan.orderId,
    courier_id: plan.courierId,
    pickup_place: plan.pickupPlace,
    dropoff_place: plan.dropoffPlace,
    pickup_at: toTimestamp(plan.pickupAt),
    dropoff_at: toTimestamp(plan.dropoffAt),
    explanation: plan.explanation,
  }));
  return JSON.stringify(rows);
}

// One lookup for each of the few plans: a join might read the whole history.
const IS_FINISHED = '(select o.finished_at is not null from orders o where o.id = n.order_id)';

const deleteFinished = (isMeant: string): string => `
  with gone as (delete from order_plans n where ${isMeant})
  delete from planning_alarms n where ${isMeant}`;

const DELETE_FINISHED = deleteFinished(IS_FINISHED);
const DELETE_FINISHED_AMONG = deleteFinished(`n.order_id = any($1::uuid[]) and ${IS_FINISHED}`);

/** Deletes plans of delivered or canceled orders: among the given orders, or among all if null. */
export async function deleteFinishedPlans(db: Queryable, orderIds: readonly string[] | null): Promise<void> {
  if (orderIds === null) await db.query({ name: 'delete_finished_plans', text: DELETE_FINISHED });
  else await db.query({ name: 'delete_finished_among', text: DELETE_FINISHED_AMONG }, [orderIds]);
}

export interface OrderEta {
  pickupAt: Instant | null;
  dropoffAt: Instant | null;
}

/** As reported to its restaurant. */
export async function findOrderEta(db: Queryable, orderId: string): Promise<OrderEta | undefined> {
  const [row] = await db.query<OrderEta & { isCourierKnown: boolean }>(
    {
      name: 'find_order_eta',
      text: `select p.pickup_at, p.dropoff_at, ${isCourierKnown('p.courier_id', 'o.restaurant_id')} as is_courier_known
             from order_plans p join orders o on o.id = p.order_id
             where p.order_id = $1 and p.dropoff_at is not null`,
    },
    [orderId],
  );
  return (
    row && {
      pickupAt: showEta(row.pickupAt, row.isCourierKnown),
      dropoffAt: showEta(row.dropoffAt, row.isCourierKnown),
    }
  );
}

export interface OrderPlanView extends Omit<OrderPlan, 'pickupPlace' | 'dropoffPlace'> {
  lockedTo: string | null;
  plannedAt: Instant | null;
}

/** For pages: the reason for each order's place in the plan. */
export function listOrderPlans(db: Queryable, orderIds: readonly string[]): Promise<OrderPlanView[]> {
  return db.query<OrderPlanView>(
    {
      name: 'list_order_plans',
      text: `select order_id, courier_id, pickup_at, dropoff_at, explanation, locked_to, planned_at
             from order_plans where order_id = any($1::uuid[])`,
    },
    [orderIds],
  );
}

/** The last planned reason for each of the given orders that is waiting without a courier. */
export async function listWaitReasons(
  db: Queryable,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, WaitReason>> {
  const rows = await db.query<{ orderId: string; reason: WaitReason }>(
    {
      name: 'list_wait_reasons',
      text: `select p.order_id, p.explanation ->> 'reason' as reason
             from order_plans p join orders o on o.id = p.order_id
             where p.order_id = any($1::uuid[]) and p.explanation ->> 'kind' = 'waiting' and o.courier_id is null`,
    },
    [orderIds],
  );
  return new Map(rows.map((row) => [row.orderId, row.reason]));
}

/** Null removes the lock. */
export async function saveOrderLock(tx: Queryable, orderId: string, courierId: string | null): Promise<void> {
  await tx.query(
    `insert into order_plans (order_id, locked_to) values ($1, $2)
     on conflict (order_id) do update set locked_to = excluded.locked_to`,
    [orderId, courierId],
  );
}

/** Moves an existing lock to this courier; an unlocked order stays unlocked. */
export async function moveOrderLock(tx: Queryable, orderId: string, courierId: string): Promise<void> {
  await tx.query('update order_plans set locked_to = $2 where order_id = $1 and locked_to is not null', [
    orderId,
    courierId,
  ]);
}
