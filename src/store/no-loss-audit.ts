// Compares what was committed with what is on its way or was delivered. Every figure must be 0.
import type { Queryable } from './database.ts';

export interface AuditFigures {
  /** Events that are neither on their way nor delivered nor discarded. */
  eventsWithoutDelivery: number;
  /** Orders whose last event is not their last change. */
  changesWithoutEvent: number;
}

const AUDITED_EVENTS = 10_000;

/** Looks at the newest events, so that its cost does not grow with history. */
export async function auditNewestEvents(db: Queryable): Promise<AuditFigures> {
  const [row] = await db.query<AuditFigures>(
    `with newest as materialized (select id, order_id, version from events order by id desc limit $1)
     select
       (select count(*) from newest e
        where not exists (select from deliveries d where d.event_id = e.id)
          and not exists (
            select from attempts a where a.event_id = e.id and a.outcome in ('delivered', 'discarded')
          ))::int as "eventsWithoutDelivery",
       (select count(*) from orders o
        where o.id in (select order_id from newest)
          and o.version <> (select max(version) from events e where e.order_id = o.id))::int as "changesWithoutEvent"`,
    [AUDITED_EVENTS],
  );
  return row ?? { eventsWithoutDelivery: 0, changesWithoutEvent: 0 };
}
