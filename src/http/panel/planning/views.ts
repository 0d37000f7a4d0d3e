// The plan as sent to pages: with names instead of ids, and times as text.
import type {
  AlarmsAnswer,
  OperatorOrderAnswer,
  OrderPlanAnswer,
  PlannedOrdersAnswer,
} from '../../../contract/panel/planning/planning.ts';
import { showEta } from '../../../domain/couriers/privacy.ts';
import { formatUtc } from '../../../domain/time.ts';
import { listCourierNames } from '../../../store/couriers/couriers.ts';
import type { Queryable } from '../../../store/database/database.ts';
import { findOrderInPlan, listOrdersOfThePlan, type OrderInPlan } from '../../../store/planning/operator-orders.ts';
import { listAlarms, type AlarmView } from '../../../store/planning/alarms.ts';
import { couriersIn, explainNow, showCourier, toWhyView, type KnownCouriers } from './explanation-view.ts';

const MAX_ORDERS = 200;

/** `restaurantId` null: all restaurants. */
export async function readAlarms(db: Queryable, restaurantId: string | null): Promise<AlarmsAnswer> {
  const alarms = await listAlarms(db, restaurantId);
  return { alarms: alarms.map(toAlarm) };
}

export async function readOrderPlan(
  db: Queryable,
  orderId: string,
  restaurantId: string,
): Promise<OrderPlanAnswer | undefined> {
  const order = await findOrderInPlan(db, orderId, restaurantId);
  return order && toOrderPlan(db, order, restaurantId);
}

export async function readOperatorOrder(db: Queryable, orderId: string): Promise<OperatorOrderAnswer | undefined> {
  const order = await findOrderInPlan(db, orderId, null);
  if (order === undefined) return undefined;
  const { orderNumber, restaurantId, restaurantName, timeZone, state } = order;
  return {
    ...(await toOrderPlan(db, order, null)),
    orderId,
    orderNumber,
    restaurantId,
    restaurantName,
    timeZone,
    state,
    createdAt: formatUtc(order.createdAt),
    isAccepted: order.acceptedAt !== null,
  };
}

export async function readOrdersOfThePlan(db: Queryable): Promise<PlannedOrdersAnswer> {
  const orders = await listOrdersOfThePlan(db, MAX_ORDERS + 1);
  return {
    orders: orders.slice(0, MAX_ORDERS).map(({ createdAt, alarms, wait, ...order }) => ({
      ...order,
      createdAt: formatUtc(createdAt),
      wait: wait && { reason: wait.reason, until: wait.until },
      alarms: alarms.map(({ raisedAt, ...alarm }) => ({ ...alarm, raisedAt: formatUtc(raisedAt) })),
    })),
    isCut: orders.length > MAX_ORDERS,
  };
}

/** Contains only names of couriers whom the viewer may know; a null viewer may know all. */
async function toOrderPlan(db: Queryable, order: OrderInPlan, viewer: string | null): Promise<OrderPlanAnswer> {
  const { courier, plan } = order;
  const holding = { ...order, courierId: courier?.id ?? null, lockedTo: plan.lockedTo?.id ?? null };
  const explanation = explainNow(holding, plan.explanation);
  const planners = plan.courierId === null ? [] : [plan.courierId];
  const mentioned = [...planners, ...(explanation === null ? [] : couriersIn(explanation))];
  const [names, alarms] = await Promise.all([
    listCourierNames(db, mentioned, viewer),
    listAlarms(db, viewer, order.orderId),
  ]);
  const known = new Set(names.keys());
  // The restaurant sees the name of the courier who has its order, but may know more only once they have accepted it.
  if (courier !== null && courier.name !== null) names.set(courier.id, courier.name);
  const knownCouriers: KnownCouriers = { names, isKnown: (id) => viewer === null || known.has(id) };
  const planned = plan.courierId === null ? null : showCourier(plan.courierId, knownCouriers);
  const isCourierKnown = plan.courierId !== null && knownCouriers.isKnown(plan.courierId);
  return {
    courier: courier ?? planned,
    pickupAt: formatUtc(showEta(plan.pickupAt, isCourierKnown)),
    dropoffAt: formatUtc(showEta(plan.dropoffAt, isCourierKnown)),
    why: explanation && toWhyView(explanation, knownCouriers),
    lockedTo: plan.lockedTo,
    plannedAt: formatUtc(plan.plannedAt),
    alarms: alarms.map(toAlarm),
  };
}

function toAlarm({ raisedAt, ...alarm }: AlarmView): AlarmsAnswer['alarms'][number] {
  return { ...alarm, raisedAt: formatUtc(raisedAt) };
}
