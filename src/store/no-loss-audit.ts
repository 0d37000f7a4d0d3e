// Compares what was committed with what is on its way or was delivered. Every figure must be 0.
import type { Queryable } from './database.ts';

export interface AuditFigures {
  /** Events that are neither on their way nor delivered nor discarded. */
  eventsWithoutDelivery: number;
  /** Orders whose last event is not their last change. */
  changesWithoutEvent: number;
}

const AUDITED_EVENTS = 10_000;

/** Looks at the newest events and orders, so that its cost does not grow with history. */
export async function auditNewestEvents(db: Queryable): Promise<AuditFigures> {
  const [row] = await db.query<AuditFigures>(
    `with newest as materialized (select id, order_id, version from events order by id desc limit $1),
     looked_at as materialized (
       select order_id as id from newest
       union
       (select id from orders order by id desc limit $1)
     )
     select
       (select count(*) from newest e
        where not exists (select from deliveries d where d.event_id = e.id)
          and not exists (
            select from attempts a where a.event_id = e.id and a.outcome in ('delivered', 'discarded')
          ))::int as "eventsWithoutDelivery",
       (select count(*) from orders o join looked_at on looked_at.id = o.id
        where o.version > 0
          and not exists (select from events e where e.order_id = o.id and e.version = o.version))::int
         as "changesWithoutEvent"`,
    [AUDITED_EVENTS],
  );
  return row ?? { eventsWithoutDelivery: 0, changesWithoutEvent: 0 };
}
