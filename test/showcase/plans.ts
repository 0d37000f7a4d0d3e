// Plans for the showcase orders, as the planner would have made them: ordered routes and reasons.
import type { App } from '../../src/app.ts';
import type { OrderState } from '../../src/domain/orders/order.ts';
import { raiseAlarm } from '../../src/store/planning/alarms.ts';
import { saveOrderPlans, type OrderPlan, type PlanExplanation } from '../../src/store/planning/plans.ts';

const MINUTE_MS = 60_000;

interface LiveOrder {
  id: string;
  state: OrderState;
  courierId: string | null;
  hasPlace: boolean;
}

/** Plans every approved order; `couriers` are on duty. */
export async function planShowcase(app: App, couriers: readonly string[]): Promise<void> {
  const now = app.clock.now();
  const orders = await app.db.query<LiveOrder>(
    `select id, state, courier_id, (content #> '{dropoff,location}') is not null as has_place
     from orders where finished_at is null and state <> 'NEW' order by created_at`,
  );
  const loads = new Map<string, number>();
  const plans = orders.map((order, index): OrderPlan => {
    const courierId = order.courierId ?? (order.state === 'ROUTED' ? couriers[index % couriers.length] : undefined);
    if (courierId === undefined) return makeWaiting(order);
    const stops = loads.get(courierId) ?? 0;
    loads.set(courierId, stops + 2);
    // One of the couriers is delayed.
    const delay = courierId === couriers[0] ? 27 : 0;
    const isCarried = order.state === 'ON_DELIVERY';
    return {
      orderId: order.id,
      courierId,
      pickupPlace: isCarried ? null : stops,
      dropoffPlace: stops + 1,
      pickupAt: isCarried ? null : now + (3 + stops * 4 + delay) * MINUTE_MS,
      dropoffAt: now + (7 + stops * 4 + delay) * MINUTE_MS,
      explanation: order.courierId === null ? makePlaced(courierId, couriers, now) : null,
    };
  });
  await saveOrderPlans(app.db, plans, now);
  const waiting = plans.find(({ courierId }) => courierId === null);
  if (waiting === undefined) return;
  const detail = 'Nobody will be there before it is due.';
  await raiseAlarm(app.db, {
    orderId: waiting.orderId,
    kind: 'NO_COURIER_IN_TIME',
    courierId: null,
    detail,
    raisedAt: now,
  });
}

function makeWaiting({ id, hasPlace }: LiveOrder): OrderPlan {
  const reason = hasPlace ? 'COSTS_TOO_MUCH' : 'NO_DROPOFF_LOCATION';
  return {
    orderId: id,
    courierId: null,
    pickupPlace: null,
    dropoffPlace: null,
    pickupAt: null,
    dropoffAt: null,
    explanation: { kind: 'waiting', reason, until: null },
  };
}

function makePlaced(courierId: string, couriers: readonly string[], now: number): PlanExplanation {
  const other = couriers.find((id) => id !== courierId);
  return {
    kind: 'placed',
    courierId,
    extraCost: 252,
    nextBest: other === undefined ? null : { courierId: other, extraCost: 138 },
    offerAt: new Date(now + 2 * MINUTE_MS).toISOString(),
  };
}
