// The drop-off of an order, as fixed by a person. What the integrator sent stays in the history, because a repeated
// request is compared with it.
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/canonical-json.ts';
import type { OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface LockedContent {
  restaurantId: string;
  courierId: string | null;
  state: OrderState;
  isErased: boolean;
  content: JsonObject;
}

export async function lockContent(tx: Queryable, orderId: string): Promise<LockedContent | undefined> {
  const [locked] = await tx.query<Omit<LockedContent, 'content'> & { content: JsonValue }>(
    `select restaurant_id, courier_id, state, content, erased_at is not null as is_erased
     from orders where id = $1 for update`,
    [orderId],
  );
  if (locked === undefined || !isJsonObject(locked.content)) return undefined;
  return { ...locked, content: locked.content };
}

/** Keeps the original text of everything except the drop-off. */
const UPDATE = `
  update orders set issues = $3::json, facts = $4::json, content = (
    select json_object_agg(field.key, field.value order by field.place)
    from (
      select e.key, case e.key when 'dropoff' then $2::json else e.value end as value, e.place
      from json_each(content) with ordinality as e(key, value, place)
      union all
      select 'dropoff', $2::json, null where content -> 'dropoff' is null
    ) field
  )
  where id = $1`;

export interface DropoffFix {
  orderId: string;
  before: JsonValue | null;
  after: JsonObject;
  /** JSON text: facts read from the content with the new drop-off. */
  facts: string;
  issues: readonly JsonValue[];
  actor: string;
  now: Instant;
}

export async function saveDropoff(tx: Queryable, fix: DropoffFix): Promise<void> {
  await tx.query(UPDATE, [fix.orderId, JSON.stringify(fix.after), JSON.stringify(fix.issues), fix.facts]);
  await tx.query(
    `insert into order_history (order_id, at, kind, actor, detail) values ($1, $2, 'dropoff_fixed', $3, $4)`,
    [fix.orderId, toTimestamp(fix.now), fix.actor, JSON.stringify({ before: fix.before, after: fix.after })],
  );
}

/** The content with the drop-off as the integrator sent it. `note` is the detail of the first note about a fix. */
export function toSentContent(content: JsonValue, note: string | null): JsonValue {
  if (note === null || !isJsonObject(content)) return content;
  const { dropoff: _, ...others } = content;
  const fix: { before: JsonValue } = JSON.parse(note);
  return fix.before === null ? others : { ...others, dropoff: fix.before };
}
