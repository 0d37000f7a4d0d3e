// Orders as shown on the restaurant's pages. The board's cost depends on the live orders, not on the history.
import { showEta } from '../../domain/couriers/privacy.ts';
import type { OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import { isCourierKnown } from '../couriers/couriers.ts';
import type { Queryable } from '../database/database.ts';
import { FACTS_COLUMNS, shownFactsOf, type FactsRow } from './facts.ts';

export interface OrderCard {
  id: string;
  orderId: string;
  displayId: string | null;
  orderNumber: string;
  state: OrderState;
  version: number;
  createdAt: Instant;
  changedAt: Instant;
  wantedAt: Instant | null;
  deadlineAt: Instant | null;
  customer: string | null;
  phone: string | null;
  destination: string | null;
  itemCount: number;
  total: number | null;
  toCollect: number | null;
  currency: string | null;
  courierId: string | null;
  courierName: string | null;
  courierAcceptedAt: Instant | null;
  kitchenReadyAt: Instant | null;
  pickupAt: Instant | null;
  dropoffAt: Instant | null;
  issueCount: number;
  cancelReasonId: string | null;
}

type ShownFact = 'displayId' | 'customer' | 'phone' | 'destination' | 'itemCount' | 'total' | 'toCollect' | 'currency';

interface CardRow extends Omit<OrderCard, ShownFact>, FactsRow {
  isCourierKnown: boolean;
}

const SELECT_CARDS = `
  select o.id, o.provider_order_id as order_id, o.order_number, o.state, o.version, o.created_at,
    o.last_changed_at as changed_at, o.wanted_at, o.deadline_at, ${FACTS_COLUMNS}, o.courier_id,
    u.name as courier_name, o.courier_accepted_at, o.kitchen_ready_at, p.pickup_at, p.dropoff_at, ${isCourierKnown('p.courier_id', 'o.restaurant_id')} as is_courier_known,
    json_array_length(o.issues) as issue_count, o.cancel_reason_id
  from chosen
  join orders o on o.id = chosen.id
  left join couriers u on u.id = o.courier_id
  left join order_plans p on p.order_id = o.id
  order by o.created_at, o.id`;

/** Recently finished orders are searched in this many of the restaurant's last events. */
const RECENT_EVENTS = 300;
const RECENT_ORDERS = 60;

// Recently finished orders are found through the last events, whose number is bounded however long the history is.
const LIST_BOARD = `
  with recent as (
    select distinct order_id from (
      select e.order_id, e.to_state from events e
      where e.restaurant_id = $1 order by e.sequence desc limit ${RECENT_EVENTS}
    ) last where to_state in ('DELIVERED', 'CANCELED')
    limit ${RECENT_ORDERS}
  ),
  chosen as (
    select o.id from orders o
    where o.restaurant_id = $1 and o.finished_at is null and ($2::text is null or o.state = $2)
    union
    select o.id from recent join orders o on o.id = recent.order_id
    where $2::text is null or o.state = $2
  )
  ${SELECT_CARDS}`;

export async function listBoard(db: Queryable, restaurantId: string, state: OrderState | null): Promise<OrderCard[]> {
  const rows = await db.query<CardRow>({ name: 'list_board', text: LIST_BOARD }, [restaurantId, state]);
  return rows.map(toCard);
}

const LIST_CARDS = `
  with chosen as (select id from orders where id = any($2::uuid[]) and restaurant_id = $1)
  ${SELECT_CARDS}`;

export async function listCards(db: Queryable, restaurantId: string, ids: readonly string[]): Promise<OrderCard[]> {
  const rows = await db.query<CardRow>({ name: 'list_cards', text: LIST_CARDS }, [restaurantId, ids]);
  return rows.map(toCard);
}

/** How many events back a finished order is searched for by phone number; ids and order numbers are found at any age. */
const SOUGHT_EVENTS = 5_000;
/** At most this many live and this many finished orders. */
const SOUGHT_ORDERS = 1_000;
const MAX_FOUND = 50;

// The digits are first looked for in the text of all facts, which rules out nearly every order at a tenth of the cost of
// parsing them. Orders of the previous version have no facts: text is read from their content, without casts, which
// could fail.
const HAS_DIGITS = `case
  when o.facts is not null then o.facts::text like sought.digits and o.facts ->> 'phoneDigits' like sought.digits
  else regexp_replace(concat_ws(' ', o.content #>> '{customer,phone}', o.content #>> '{dropoff,phone}'), '[^0-9 ]', '', 'g')
    like sought.digits
  end`;

// One pass over a bounded number of orders, however many events or live orders the restaurant has. (As an array, they
// are looked up one by one; for a join, PostgreSQL may read the whole table, with the orders of other restaurants.)
const SEARCH = `
  with candidates as (
    (select order_id from (
      select e.order_id, e.to_state from events e
      where e.restaurant_id = $1 order by e.sequence desc limit ${SOUGHT_EVENTS}
    ) last where to_state in ('DELIVERED', 'CANCELED')
    limit ${SOUGHT_ORDERS})
    union all
    (select id from orders where restaurant_id = $1 and finished_at is null limit ${SOUGHT_ORDERS})
  ),
  chosen as (
    select id from orders where restaurant_id = $1 and provider_order_id = $2
    union
    select id from orders where restaurant_id = $1 and order_number = $3::bigint
    union
    (select o.id from orders o, (select lower($2) as beginning, '%' || $4::text || '%' as digits) sought
     where o.id = any(array(select order_id from candidates))
       and (starts_with(lower(o.provider_order_id), sought.beginning) or (sought.digits is not null and ${HAS_DIGITS}))
     limit ${MAX_FOUND})
  )
  ${SELECT_CARDS}`;

/** Fewer digits match too many phone numbers. */
const MIN_PHONE_DIGITS = 4;
const MAX_ORDER_NUMBER_LENGTH = 18;

/** Matches the integrator's id or its beginning, the order number, or part of a phone number. */
export async function searchOrders(db: Queryable, restaurantId: string, text: string): Promise<OrderCard[]> {
  const digits = text.replaceAll(/\D/g, '');
  const isPhone = digits.length >= MIN_PHONE_DIGITS && /^[\d\s()+./-]+$/.test(text);
  const isNumber = /^\d+$/.test(text) && text.length <= MAX_ORDER_NUMBER_LENGTH;
  const rows = await db.query<CardRow>({ name: 'search_orders', text: SEARCH }, [
    restaurantId,
    text,
    isNumber ? text : null,
    isPhone ? digits : null,
  ]);
  return rows.map(toCard);
}

function toCard({ facts, unreadContent, isCourierKnown, ...card }: CardRow): OrderCard {
  const shown = shownFactsOf({ facts, unreadContent });
  return {
    ...card,
    displayId: shown.displayId,
    customer: shown.customer,
    phone: shown.phone,
    destination: shown.destination,
    itemCount: shown.itemCount,
    total: shown.total,
    toCollect: shown.toCollect,
    currency: shown.currency,
    pickupAt: showEta(card.pickupAt, isCourierKnown),
    dropoffAt: showEta(card.dropoffAt, isCourierKnown),
  };
}
