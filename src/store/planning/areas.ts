// Which planner works on which area. A lease lasts seconds, by the database's clock: planners need not agree on the
// time, and a planner that stops renewing loses its lease.
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { isUuid } from '../database/uuid.ts';

export const PLAN_CHANNEL = 'waybill_plan';

/** A notification holds less than 8,000 bytes; an id and a space take 37. If more orders changed, none is named. */
const MAX_NAMED = 200;

/** A planner that dies is replaced within this time plus one poll. */
export const AREA_LEASE_MS = 6_000;

/** Notifies planners of a change: exactly these orders, or null if the orders are unknown. */
export async function notifyPlanners(db: Queryable, orderIds: readonly string[] | null): Promise<void> {
  const named = orderIds === null || orderIds.length > MAX_NAMED ? [] : orderIds;
  await db.query({ name: 'notify_planners', text: `select pg_notify('${PLAN_CHANNEL}', $1)` }, [named.join(' ')]);
}

/** The orders named in a notification; null if it names none or comes from a version with another format. */
export function readPlanNotice(payload: string): readonly string[] | null {
  const named = payload.split(' ');
  return named.every(isUuid) ? named : null;
}

// A lease that ends later than a new one would was written before the database's clock was set back. Its planner keeps
// it, and is replaced only after being silent for as long as any other.
const CLAIM = `
  insert into planning_areas (id, held_by, held_until)
  select wanted.id, $2::uuid, now() + interval '${AREA_LEASE_MS} milliseconds'
  from unnest($1::uuid[]) as wanted(id)
  order by wanted.id
  on conflict (id) do update
  set held_until = excluded.held_until,
    held_by = case when planning_areas.held_until > now() then planning_areas.held_by else excluded.held_by end
  where planning_areas.held_by = excluded.held_by
    or planning_areas.held_until < now()
    or planning_areas.held_until > excluded.held_until
  returning id, replan_wanted as is_replan_wanted, held_by`;

export interface HeldArea {
  id: string;
  isReplanWanted: boolean;
}

/** Claims free areas and renews held ones; returns all that this planner holds now. */
export async function claimAreas(db: Queryable, planner: string, areaIds: readonly string[]): Promise<HeldArea[]> {
  const areas = await db.query<HeldArea & { heldBy: string }>({ name: 'claim_areas', text: CLAIM }, [areaIds, planner]);
  return areas.filter(({ heldBy }) => heldBy === planner).map(({ id, isReplanWanted }) => ({ id, isReplanWanted }));
}

/** Which of the given areas this planner holds now. */
export function listHeldAreas(db: Queryable, planner: string, areaIds: readonly string[]): Promise<HeldArea[]> {
  return db.query<HeldArea>(
    {
      name: 'list_held_areas',
      text: `select id, replan_wanted as is_replan_wanted from planning_areas
             where id = any($1::uuid[]) and held_by = $2 and held_until > now()`,
    },
    [areaIds, planner],
  );
}

/** For a clean shutdown: the next planner need not wait for the leases to expire. */
export async function releaseAreas(db: Queryable, planner: string): Promise<void> {
  await db.query('update planning_areas set held_by = null, held_until = now() where held_by = $1', [planner]);
}

export async function requestReplan(tx: Queryable): Promise<void> {
  await tx.query('update planning_areas set replan_wanted = true');
  await notifyPlanners(tx, null);
}

/** The last plan, as shown to the operator. */
export interface PlanSummary {
  orders: number;
  waiting: number;
  couriers: number;
  /** In the planner's cost unit, seconds of delay. */
  cost: number;
  durationMs: number;
  rounds: number;
  /** Source of the travel times, and the share of them that had to be estimated for now. */
  travelTimes: string;
  bridgedShare: number;
}

export interface AreaView {
  id: string;
  /** Name of the restaurant that the area is named after. */
  name: string | null;
  plannedAt: Instant | null;
  summary: PlanSummary | null;
}

export function listPlannedAreas(db: Queryable): Promise<AreaView[]> {
  return db.query<AreaView>(
    `select a.id, r.name, a.planned_at, a.summary
     from planning_areas a left join restaurants r on r.id = a.id
     order by a.planned_at desc nulls last, a.id`,
  );
}
