// Deliveries as people see and control them: the list, the attempts of one, resend and discard.
import type { EndpointKind, EventType } from '../../domain/webhooks/events.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { notifyDueDeliveries } from './deliveries.ts';
import { toTimestamp } from '../database/timestamps.ts';
import { isUuid } from '../database/uuid.ts';

export type DeliveryState = 'delivered' | 'waiting' | 'sending' | 'held' | 'discarded';

export interface DeliveryView {
  /** The id of its event. */
  id: string;
  type: EventType;
  /** The integrator's order id. */
  orderId: string;
  serviceOrderId: string;
  endpoint: EndpointKind;
  state: DeliveryState;
  attempts: number;
  dueAt: Instant | null;
  lastStatus: number | null;
  lastError: string | null;
  createdAt: Instant;
}

const ENDPOINT_OF_EVENT = `case e.type when 'order.canceled' then 'cancel' else 'status' end`;

const SELECT_VIEWS = `
  select e.id, e.type, o.provider_order_id as order_id, e.order_id as service_order_id, e.occurred_at as created_at,
    ${ENDPOINT_OF_EVENT} as endpoint,
    case
      when d.event_id is null then coalesce(last.outcome, 'waiting')
      when d.due_at is null then 'held'
      when d.leased_by is not null then 'sending'
      else 'waiting'
    end as state,
    coalesce(d.attempts, last.number, 0) as attempts, d.due_at, last.status as last_status,
    coalesce(last.error_text, last.error_class) as last_error
  from events e
  join orders o on o.id = e.order_id
  left join deliveries d on d.event_id = e.id
  left join lateral (
    select a.outcome, a.number, a.status, a.error_text, a.error_class
    from attempts a where a.event_id = e.id order by a.id desc limit 1
  ) last on true`;

/** Newest first. */
export function listDeliveries(db: Queryable, restaurantId: string, limit: number): Promise<DeliveryView[]> {
  return db.query<DeliveryView>(`${SELECT_VIEWS} where e.restaurant_id = $1 order by e.sequence desc limit $2`, [
    restaurantId,
    limit,
  ]);
}

export function listDeliveriesOfOrder(db: Queryable, orderId: string): Promise<DeliveryView[]> {
  return db.query<DeliveryView>(`${SELECT_VIEWS} where e.order_id = $1 order by e.sequence`, [orderId]);
}

export type ResendResult = 'queued' | 'already_sending' | 'held' | 'unknown';

/**
 * Sends an event again immediately. A delivered event returns to the queue on the first retry step; a waiting one
 * becomes due; one being sent is left unchanged, so that it is never sent twice concurrently.
 */
export async function resendDelivery(
  tx: Queryable,
  scope: { eventId: string; restaurantId: string | null; orderId?: string | null; now: Instant },
): Promise<ResendResult> {
  if (!isUuid(scope.eventId)) return 'unknown';
  const [row] = await tx.query<{ leasedBy: string | null; dueAt: Instant | null }>(
    `with requeued as (
       insert into deliveries (event_id, restaurant_id, endpoint, order_id, version, attempts, due_at, occurred_at)
       select e.id, e.restaurant_id, ${ENDPOINT_OF_EVENT}, e.order_id,
         e.version, coalesce((select max(number) from attempts a where a.event_id = e.id), 0),
         case when p.url is not null and r.integration_enabled then $3::timestamptz end, e.occurred_at
       from events e
       join restaurants r on r.id = e.restaurant_id
       join endpoints p on p.restaurant_id = e.restaurant_id
         and p.kind = ${ENDPOINT_OF_EVENT}
       where e.id = $1 and ($2::uuid is null or e.restaurant_id = $2) and ($4::uuid is null or e.order_id = $4)
       on conflict (event_id) do update
       set due_at = case
         when deliveries.leased_by is null and deliveries.due_at is not null then excluded.due_at
         else deliveries.due_at
       end
       returning leased_by, due_at
     )
     select leased_by, due_at from requeued`,
    [scope.eventId, scope.restaurantId, toTimestamp(scope.now), scope.orderId ?? null],
  );
  if (row === undefined) return 'unknown';
  if (row.leasedBy !== null) return 'already_sending';
  if (row.dueAt === null) return 'held';
  await notifyDueDeliveries(tx);
  return 'queued';
}

/** Number of failing deliveries whose event happened since then. */
export async function countFailedSince(db: Queryable, restaurantId: string, since: Instant): Promise<number> {
  const [row] = await db.query<{ count: string }>(`select count(*) from deliveries d where ${FAILED_SINCE}`, [
    restaurantId,
    toTimestamp(since),
  ]);
  return Number(row?.count ?? 0);
}

export async function resendFailedSince(
  tx: Queryable,
  scope: { restaurantId: string; since: Instant; now: Instant },
): Promise<number> {
  const rows = await tx.query(`update deliveries d set due_at = $3 where ${FAILED_SINCE} returning d.event_id`, [
    scope.restaurantId,
    toTimestamp(scope.since),
    toTimestamp(scope.now),
  ]);
  if (rows.length > 0) await notifyDueDeliveries(tx);
  return rows.length;
}

const FAILED_SINCE = `d.restaurant_id = $1 and d.failures > 0 and d.leased_by is null and d.due_at is not null
  and d.occurred_at >= $2`;

/** Gives up a delivery on purpose. The log records it; the event stays in the feed. */
export async function discardDelivery(
  tx: Queryable,
  scope: { eventId: string; restaurantId: string | null; now: Instant },
): Promise<boolean> {
  if (!isUuid(scope.eventId)) return false;
  const rows = await tx.query(
    `with discarded as (
       delete from deliveries
       where event_id = $1 and ($2::uuid is null or restaurant_id = $2) and leased_by is null
       returning event_id, restaurant_id, endpoint, attempts
     )
     insert into attempts (event_id, restaurant_id, endpoint, number, outcome, started_at, ended_at)
     select event_id, restaurant_id, endpoint, attempts, 'discarded', $3, $3 from discarded
     returning event_id`,
    [scope.eventId, scope.restaurantId, toTimestamp(scope.now)],
  );
  return rows.length > 0;
}
