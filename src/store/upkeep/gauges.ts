// What the metrics tell of the present. Every count runs over what is live, so its cost does not grow with history.
import type { OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface Gauges {
  /** Those that are not final. */
  liveOrders: { state: OrderState; count: number }[];
  deliveries: { due: number; late: number; waiting: number; held: number };
  failingEndpoints: number;
}

/** A delivery that nobody sends although it is due for so long is late: nodes look once a second. */
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
