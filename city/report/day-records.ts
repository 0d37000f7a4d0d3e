// The service's own records after the day: orders and offers from the database, plans from the log.
import { readFile } from 'node:fs/promises';
import type { Instant } from '../../src/domain/time.ts';
import type { Queryable } from '../../src/store/database/database.ts';

export interface OrderRecord {
  id: string;
  /** The integrator's order id. */
  orderId: string;
  state: string;
  courierId: string | null;
  placedAt: Instant;
  approvedAt: Instant | null;
  readyAt: Instant | null;
  acceptedAt: Instant | null;
  pickedUpAt: Instant | null;
  deliveredAt: Instant | null;
  finishedAt: Instant | null;
  cancelReasonId: string | null;
}

export interface OfferRecord {
  orderId: string;
  kind: 'courier_offered' | 'courier_declined' | 'offer_withdrawn';
  at: Instant;
}

/** One plan, on the machine's clock. */
export interface PlanRecord {
  startedAt: number;
  endedAt: number;
}

/** When the service made a change. An act by a courier without a connection happened earlier. */
export interface ChangeRecord {
  body: string;
  madeAt: Instant;
}

const ORDERS = `
  select o.id, o.provider_order_id as order_id, o.state, o.courier_id, o.cancel_reason_id, o.created_at as placed_at,
    o.kitchen_ready_at as ready_at, o.courier_accepted_at as accepted_at, o.finished_at,
    ${timeOf('VALIDATED')} as approved_at, ${timeOf('ON_DELIVERY')} as picked_up_at,
    ${timeOf('DELIVERED')} as delivered_at
  from orders o order by o.created_at, o.id`;

function timeOf(state: string): string {
  return `(select e.occurred_at from events e
    where e.order_id = o.id and e.to_state = '${state}' and e.type = 'order.status_changed')`;
}

export function readOrders(db: Queryable): Promise<OrderRecord[]> {
  return db.query<OrderRecord>(ORDERS);
}

export function readOffers(db: Queryable): Promise<OfferRecord[]> {
  return db.query<OfferRecord>(
    `select order_id, kind, at from order_history
     where kind in ('courier_offered', 'courier_declined', 'offer_withdrawn') order by id`,
  );
}

export function readChanges(db: Queryable): Promise<ChangeRecord[]> {
  return db.query<ChangeRecord>(
    `select e.body, greatest(e.occurred_at, a.received_at) as made_at
     from events e
     left join courier_acts a on a.order_id = e.order_id
       and (a.kind, e.to_state) in (('picked_up', 'ON_DELIVERY'), ('delivered', 'DELIVERED'))`,
  );
}

interface LogLine {
  event: string;
  time: number;
  durationMs?: number;
  reason?: string;
}

const FAILURES = new Set([
  'planner.round_failed',
  'plan.failed',
  'planner.thread_failed',
  'worker.failed',
  'worker.round_failed',
]);

/** The plans of the day, and every round of work that failed. */
export async function readLog(file: string): Promise<{ plans: PlanRecord[]; failures: string[] }> {
  const plans: PlanRecord[] = [];
  const failures: string[] = [];
  for (const text of (await readFile(file, 'utf8')).split('\n')) {
    if (!text.startsWith('{')) continue;
    const { event, time, durationMs = 0, reason = '' } = JSON.parse(text) as LogLine;
    if (event === 'plan.made') plans.push({ startedAt: time - durationMs, endedAt: time });
    if (FAILURES.has(event)) failures.push(`${event}: ${reason}`);
  }
  return { plans, failures };
}
