// The queue of pending webhooks: leasing, releasing, holding. A row exists until a 2xx.
import type { EndpointKind } from '../../domain/webhooks/events.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';
import { BY_DUE_TIME } from './queue-indexes.ts';

/** One event on its way to one endpoint. */
export interface Delivery {
  eventId: string;
  restaurantId: string;
  endpoint: EndpointKind;
  orderId: string;
  version: number;
  /** Attempts made so far. */
  attempts: number;
  /** Retry steps taken so far. */
  failures: number;
  body: string;
  /** The node that holds the lease. */
  leasedBy: string;
  /** Earlier events that the node had in memory when it took the lease, after which it may send this one. */
  countedOn?: readonly string[];
}

export type LeasedDelivery = Pick<Delivery, 'eventId' | 'orderId'>;

export const DUE_CHANNEL = 'waybill_due';

export async function notifyDueDeliveries(db: Queryable): Promise<void> {
  await db.query({ name: 'notify_due', text: `select pg_notify('${DUE_CHANNEL}', '')` });
}

/** When the next unleased delivery is due. */
export async function findNextDueAt(db: Queryable): Promise<Instant | undefined> {
  const [row] = await db.query<{ dueAt: Instant }>({
    name: 'find_next_due_at',
    text: `select due_at from deliveries where leased_by is null and ${BY_DUE_TIME} order by due_at limit 1`,
  });
  return row?.dueAt;
}

/** Releases leases without changing due times: for deliveries that a node cannot send after all. */
export async function releaseDeliveries(db: Queryable, nodeId: string, eventIds: readonly string[]): Promise<void> {
  await db.query(
    {
      name: 'release_deliveries',
      text: 'update deliveries set leased_by = null where leased_by = $1 and event_id = any($2::uuid[])',
    },
    [nodeId, eventIds],
  );
}

export function listLeases(db: Queryable, nodeId: string): Promise<LeasedDelivery[]> {
  return db.query<LeasedDelivery>(
    { name: 'list_leases', text: 'select event_id, order_id from deliveries where leased_by = $1' },
    [nodeId],
  );
}

/** Which of these events' deliveries a node has leased: for a commit whose answer was lost. */
export async function listLeasedAmong(
  db: Queryable,
  nodeId: string,
  eventIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ eventId: string }>(
    'select event_id from deliveries where leased_by = $1 and event_id = any($2::uuid[])',
    [nodeId, eventIds],
  );
  return new Set(rows.map((row) => row.eventId));
}

/** Puts leased deliveries on hold because their endpoint has no URL or is switched off. */
export async function holdDeliveries(db: Queryable, nodeId: string, eventIds: readonly string[]): Promise<void> {
  await db.query(
    {
      name: 'hold_deliveries',
      text: `
        update deliveries set leased_by = null, due_at = null
        where leased_by = $1 and event_id = any($2::uuid[])`,
    },
    [nodeId, eventIds],
  );
}

/**
 * Makes held deliveries due again. Those never attempted are sent in the order of their events, because a claim
 * never lets one overtake another of the same order.
 */
export async function releaseHeld(
  tx: Queryable,
  scope: { restaurantId: string; kinds: readonly EndpointKind[]; now: Instant },
): Promise<number> {
  const rows = await tx.query(
    `update deliveries d set due_at = $3
     from restaurants r, endpoints p
     where d.restaurant_id = $1 and d.endpoint = any($2::text[]) and d.due_at is null
       and r.id = d.restaurant_id and r.integration_enabled
       and p.restaurant_id = d.restaurant_id and p.kind = d.endpoint and p.url is not null
     returning d.event_id`,
    [scope.restaurantId, scope.kinds, toTimestamp(scope.now)],
  );
  if (rows.length > 0) await notifyDueDeliveries(tx);
  return rows.length;
}

const IS_FORGOTTEN = `d.due_at is null and r.id = d.restaurant_id and r.integration_enabled
  and p.restaurant_id = d.restaurant_id and p.kind = d.endpoint and p.url is not null`;

/** Fixes a race: an event committed while its endpoint was being enabled may have been created as held. */
export async function releaseForgottenHeld(db: Queryable, now: Instant): Promise<number> {
  const rows = await db.query(
    {
      name: 'release_forgotten_held',
      text: `update deliveries d set due_at = $1 from restaurants r, endpoints p where ${IS_FORGOTTEN}
        returning d.event_id`,
    },
    [toTimestamp(now)],
  );
  return rows.length;
}

/** The deliveries of that statement, in case it fails for one of them. */
export function listForgottenHeld(db: Queryable): Promise<LeasedDelivery[]> {
  return db.query<LeasedDelivery>(
    `select d.event_id, d.order_id from deliveries d, restaurants r, endpoints p
     where ${IS_FORGOTTEN}`,
  );
}

export async function releaseHeldAmong(db: Queryable, eventIds: readonly string[], now: Instant): Promise<void> {
  await db.query('update deliveries set due_at = $2 where event_id = any($1::uuid[]) and due_at is null', [
    eventIds,
    toTimestamp(now),
  ]);
}

export async function countHeld(db: Queryable, restaurantId: string, kinds: readonly EndpointKind[]): Promise<number> {
  const [row] = await db.query<{ count: string }>(
    'select count(*) from deliveries where restaurant_id = $1 and endpoint = any($2::text[]) and due_at is null',
    [restaurantId, kinds],
  );
  return Number(row?.count ?? 0);
}
