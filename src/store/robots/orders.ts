// What the robots read: live orders with their script, and couriers on duty with their load.
import type { JsonValue } from '../../domain/canonical-json.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Courier } from '../couriers/couriers.ts';
import type { Queryable } from '../database/database.ts';
import { FACTS_COLUMNS, factsOf, readOrders, type FactsRow, type ReadOrders } from '../orders/facts.ts';
import { ORDER_COLUMNS, toOrder, type OrderRow } from '../orders/order-columns.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface LiveOrder {
  order: Order;
  restaurantId: string;
  issues: readonly JsonValue[];
  /** The order's `test` field; undefined if scripts are ignored. */
  script: JsonValue | undefined;
  /** Couriers who have declined it so far. */
  declinedBy: readonly string[];
  lastDeclinedAt: Instant | null;
  /** Whether its courier can sign in and therefore acts in person. */
  isWithPerson: boolean;
}

interface LiveRow extends OrderRow, FactsRow, Omit<LiveOrder, 'order' | 'script'> {}

// Longest wait first, so that the limit never skips the same orders forever.
const LIST_LIVE = `
  select ${ORDER_COLUMNS}, o.restaurant_id, o.issues, ${FACTS_COLUMNS},
    coalesce(declined.by, '{}') as declined_by, declined.last_at as last_declined_at,
    exists (select from users u where u.courier_id = o.courier_id) as is_with_person
  from orders o
  left join lateral (
    select array_agg(h.courier_id::text) as by, max(h.at) as last_at
    from order_history h
    where h.order_id = o.id and h.kind = 'courier_declined' and o.state in ('ASSIGNED', 'PREPARED')
  ) declined on true
  where o.finished_at is null and ($1::uuid[] is null or o.restaurant_id = any($1::uuid[]))
  order by o.last_changed_at
  limit $2`;

export async function listLiveOrders(
  db: Queryable,
  scope: { restaurantIds: readonly string[] | null; hasScripts: boolean; limit: number },
): Promise<ReadOrders<LiveOrder>> {
  const rows = await db.query<LiveRow>({ name: 'list_live_orders', text: LIST_LIVE }, [
    scope.restaurantIds,
    scope.limit,
  ]);
  return readOrders(rows, (row) => toLiveOrder(row, scope.hasScripts));
}

function toLiveOrder({ facts, unreadContent, ...row }: LiveRow, hasScripts: boolean): LiveOrder {
  const { restaurantId, issues, declinedBy, lastDeclinedAt, isWithPerson, ...order } = row;
  const script = hasScripts ? (factsOf({ facts, unreadContent }).script ?? undefined) : undefined;
  return { order: toOrder(order), restaurantId, issues, script, declinedBy, lastDeclinedAt, isWithPerson };
}

export interface CourierLoad {
  id: string;
  /** Null means the operator's pool, open to every restaurant. */
  restaurantId: string | null;
  openOrders: number;
}

export function listCouriersOnDuty(db: Queryable): Promise<CourierLoad[]> {
  return db.query<CourierLoad>({
    name: 'list_couriers_on_duty',
    text: `
      select c.id, c.restaurant_id, count(o.id)::int as open_orders
      from couriers c
      left join orders o on o.courier_id = c.id and o.finished_at is null
      where c.on_duty
      group by c.id
      order by c.created_at, c.id`,
  });
}

export type RobotCourier = Omit<Courier, 'vehicle' | 'capacity' | 'payPerOrder'>;

/** Adds couriers with fixed ids, so any number of nodes may call this at any time without creating duplicates. */
export async function insertMissingCouriers(db: Queryable, couriers: readonly RobotCourier[]): Promise<void> {
  await db.query(
    `insert into couriers (id, name, phone, latitude, longitude, on_duty, restaurant_id, created_at)
     select c.* from json_to_recordset($1::json) as c(id uuid, name text, phone text, latitude double precision,
       longitude double precision, on_duty boolean, restaurant_id uuid, created_at timestamptz)
     on conflict (id) do nothing`,
    [
      JSON.stringify(
        couriers.map((courier) => ({
          ...courier,
          on_duty: courier.onDuty,
          restaurant_id: courier.restaurantId,
          created_at: toTimestamp(courier.createdAt),
        })),
      ),
    ],
  );
}
