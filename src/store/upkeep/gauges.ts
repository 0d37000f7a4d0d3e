// Gauges of the current state for the metrics. Counts cover only live rows, so their cost is independent of history.
import type { OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface Gauges {
  /** Orders in a state that is not final. */
  liveOrders: { state: OrderState; count: number }[];
  deliveries: { due: number; late: number; waiting: number; held: number };
  failingEndpoints: number;
}

/** A due delivery that nobody has sent for this long is late: nodes poll once a second. */
const LATE_AFTER_SECONDS = 5;

export async function readGauges(db: Queryable, now: Instant): Promise<Gauges> {
  const [liveOrders, [deliveries], [failing]] = await Promise.all([
    db.query<{ state: OrderState; count: number }>(
      'select state, count(*)::int as count from orders where finished_at is null group by state',
    ),
    db.query<Gauges['deliveries']>(
      `select count(*) filter (where due_at <= $1)::int as due,
         count(*) filter (where leased_by is null and due_at < $1::timestamptz - interval '${LATE_AFTER_SECONDS} s')::int
           as late,
         count(*) filter (where due_at > $1)::int as waiting,
         count(*) filter (where due_at is null)::int as held
       from deliveries`,
      [toTimestamp(now)],
    ),
    db.query<{ count: number }>('select count(*)::int as count from endpoints where failing_since is not null'),
  ]);
  return {
    liveOrders,
    deliveries: deliveries ?? { due: 0, late: 0, waiting: 0, held: 0 },
    failingEndpoints: failing?.count ?? 0,
  };
}
