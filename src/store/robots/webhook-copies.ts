// Test-environment orders that requested webhook failures, and how often each webhook was delivered.
import { isJsonObject, type JsonValue } from '../../domain/canonical-json.ts';
import type { EventType } from '../../domain/webhooks/events.ts';
import type { OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { FACTS_COLUMNS, shownFactsOf, type FactsRow } from '../orders/facts.ts';

export interface TroubledOrder {
  id: string;
  /** The order's `test.webhook`. */
  trouble: JsonValue;
}

/** Orders after this id, sorted by id, and the last id that was examined. */
export async function listTroubledOrders(
  db: Queryable,
  page: { afterId: string; limit: number },
): Promise<{ troubled: TroubledOrder[]; lastId: string; isLast: boolean }> {
  const rows = await db.query<FactsRow & { id: string }>(
    {
      name: 'list_troubled_orders',
      text: `select o.id, ${FACTS_COLUMNS} from orders o where o.id > $1 order by o.id limit $2`,
    },
    [page.afterId, page.limit],
  );
  return {
    troubled: rows.flatMap((row) => {
      const { script } = shownFactsOf(row);
      const trouble = isJsonObject(script) ? script['webhook'] : undefined;
      return trouble === undefined ? [] : [{ id: row.id, trouble }];
    }),
    lastId: rows.at(-1)?.id ?? page.afterId,
    isLast: rows.length < page.limit,
  };
}

export interface EventCopies {
  eventId: string;
  orderId: string;
  type: EventType;
  version: number;
  to: OrderState;
  /** Number of 2xx responses. */
  delivered: number;
  firstDeliveredAt: Instant | null;
  isOnItsWay: boolean;
}

export function listEventCopies(db: Queryable, orderIds: readonly string[]): Promise<EventCopies[]> {
  return db.query<EventCopies>(
    {
      name: 'list_event_copies',
      text: `
        select e.id as event_id, e.order_id, e.type, e.version, e.to_state as to, sent.delivered,
          sent.first_delivered_at, exists (select from deliveries d where d.event_id = e.id) as is_on_its_way
        from events e
        cross join lateral (
          select count(*)::int as delivered, min(a.ended_at) as first_delivered_at
          from attempts a where a.event_id = e.id and a.outcome = 'delivered'
        ) sent
        where e.order_id = any($1::uuid[])
        order by e.order_id, e.version`,
    },
    [orderIds],
  );
}

/** The lowest possible id of an order placed at this time: ids begin with the time. */
export function lowestIdAt(at: Instant): string {
  const time = at.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7000-8000-000000000000`;
}
