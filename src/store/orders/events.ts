// Reads committed events. They never change, except that the free text of a cancellation is erased after its retention
// period, once its webhook has been delivered (erasure.ts).
import type { EventType } from '../../domain/webhooks/events.ts';
import type { OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { isUuid } from '../database/uuid.ts';

export interface StoredEvent {
  id: string;
  sequence: number;
  orderId: string;
  version: number;
  type: EventType;
  from: OrderState;
  to: OrderState;
  actor: string;
  occurredAt: Instant;
  body: string;
}

// A bigint arrives as text.
type EventRow = Omit<StoredEvent, 'sequence'> & { sequence: string };

const COLUMNS = 'id, sequence, order_id, version, type, from_state as from, to_state as to, actor, occurred_at, body';

export async function listEventsOfOrder(db: Queryable, orderId: string): Promise<StoredEvent[]> {
  const rows = await db.query<EventRow>(
    {
      name: 'list_events_of_order',
      text: `select ${COLUMNS} from events where order_id = $1 order by sequence`,
    },
    [orderId],
  );
  return rows.map(toEvent);
}

export async function hasEvent(db: Queryable, eventId: string): Promise<boolean> {
  return (await findEventOwner(db, eventId)) !== null;
}

/** The restaurant that owns the event; null if there is no such event. */
export async function findEventOwner(db: Queryable, eventId: string): Promise<string | null> {
  if (!isUuid(eventId)) return null;
  const rows = await db.query<{ restaurantId: string }>('select restaurant_id from events where id = $1', [eventId]);
  return rows[0]?.restaurantId ?? null;
}

/** Sequences follow commit order without gaps, so no event can appear later behind the cursor. */
export async function listEventsAfter(
  db: Queryable,
  restaurantId: string,
  page: { afterSequence: number; limit: number },
): Promise<StoredEvent[]> {
  const rows = await db.query<EventRow>(
    {
      name: 'list_events_after',
      text: `select ${COLUMNS} from events where restaurant_id = $1 and sequence > $2 order by sequence limit $3`,
    },
    [restaurantId, page.afterSequence, page.limit],
  );
  return rows.map(toEvent);
}

/** Zero if the restaurant has had no event. */
export async function findLastSequence(db: Queryable, restaurantId: string): Promise<number> {
  const [row] = await db.query<{ lastSequence: string }>(
    { name: 'find_last_sequence', text: 'select last_sequence from event_counters where restaurant_id = $1' },
    [restaurantId],
  );
  return Number(row?.lastSequence ?? 0);
}

function toEvent(row: EventRow): StoredEvent {
  return { ...row, sequence: Number(row.sequence) };
}
