// The plan for restaurants, who see their own orders, and for the operator, who sees everything and may overrule it.
import { z } from 'zod';
import { dismissProblem } from '../../actions/dismiss-problem.ts';
import { lockOrder } from '../../actions/lock-order.ts';
import { moveOrder } from '../../actions/move-order.ts';
import { requestReplan } from '../../actions/request-replan.ts';
import {
  lockRequest,
  moveRequest,
  type AlarmsAnswer,
  type AreasAnswer,
  type OrderPlanAnswer,
  type PositionsAnswer,
} from '../../contract/panel/planning.ts';
import { refuse } from '../../domain/refusals.ts';
import type { Instant } from '../../domain/time.ts';
import { listPositions } from '../../store/courier-positions.ts';
import { findOrderById } from '../../store/orders.ts';
import { listAlarms } from '../../store/planning-alarms.ts';
import { listPlannedAreas } from '../../store/planning-areas.ts';
import { listOrderPlans } from '../../store/plans.ts';
import { ok, refused, type Answer } from '../answer.ts';
import { declined, done } from './door.ts';
import { panelRoute, restaurantRoute, type PanelDeps } from './panel-route.ts';

const OPERATOR = ['operator'] as const;
const orderParams = z.object({ orderId: z.uuid() });

export const planningRoutes = [
  restaurantRoute({
    method: 'GET',
    url: '/api/planning/alarms',
    handler: (deps, { session }) => tellAlarms(deps, session.restaurantId),
  }),
  restaurantRoute({
    method: 'GET',
    url: '/api/planning/positions',
    handler: (deps, { session }) => tellPositions(deps, session.restaurantId),
  }),
  restaurantRoute({
    method: 'GET',
    url: '/api/planning/orders/:orderId',
    params: orderParams,
    handler: (deps, { session, params }) => tellPlan(deps, params.orderId, session.restaurantId),
  }),
  restaurantRoute({
    method: 'POST',
    url: '/api/planning/orders/:orderId/problem/dismiss',
    params: orderParams,
    handler: async (deps, { session, params }) => {
      const { restaurantId, actor } = session;
      const result = await dismissProblem(deps, { orderId: params.orderId, restaurantId, actor });
      return result.kind === 'dismissed' ? done() : declined(result);
    },
  }),
  panelRoute({
    method: 'GET',
    url: '/api/operator/planning/alarms',
    roles: OPERATOR,
    handler: (deps) => tellAlarms(deps, null),
  }),
  panelRoute({
    method: 'GET',
    url: '/api/operator/planning/positions',
    roles: OPERATOR,
    handler: (deps) => tellPositions(deps, null),
  }),
  panelRoute({
    method: 'GET',
    url: '/api/operator/planning/areas',
    roles: OPERATOR,
    handler: async (deps) => {
      const areas = await listPlannedAreas(deps.db);
      const answer: AreasAnswer = { areas: areas.map((area) => ({ ...area, plannedAt: toText(area.plannedAt) })) };
      return ok(answer);
    },
  }),
  panelRoute({
    method: 'POST',
    url: '/api/operator/planning/replan',
    roles: OPERATOR,
    handler: async (deps, { session }) => {
      await requestReplan(deps, { actor: session.actor });
      return done();
    },
  }),
  panelRoute({
    method: 'GET',
    url: '/api/operator/planning/orders/:orderId',
    roles: OPERATOR,
    params: orderParams,
    handler: (deps, { params }) => tellPlan(deps, params.orderId, null),
  }),
  panelRoute({
    method: 'POST',
    url: '/api/operator/planning/orders/:orderId/lock',
    roles: OPERATOR,
    params: orderParams,
    body: lockRequest,
    handler: async (deps, { session, params, body }) => {
      const { orderId } = params;
      const result = await lockOrder(deps, { orderId, courierId: body.courierId, actor: session.actor });
      return result.kind === 'changed' ? done() : declined(result);
    },
  }),
  panelRoute({
    method: 'POST',
    url: '/api/operator/planning/orders/:orderId/move',
    roles: OPERATOR,
    params: orderParams,
    body: moveRequest,
    handler: async (deps, { session, params, body }) => {
      const { orderId } = params;
      const result = await moveOrder(deps, { orderId, courierId: body.courierId, actor: session.actor });
      if (result.kind === 'refused' && 'refusal' in result) return refused(result.refusal);
      return result.kind === 'refused' || result.kind === 'not-found' ? declined(result) : done();
    },
  }),
];

async function tellAlarms({ db }: PanelDeps, restaurantId: string | null): Promise<Answer> {
  const alarms = await listAlarms(db, restaurantId);
  const answer: AlarmsAnswer = {
    alarms: alarms.map(({ raisedAt, ...alarm }) => ({ ...alarm, raisedAt: new Date(raisedAt).toISOString() })),
  };
  return ok(answer);
}

async function tellPositions({ db, clock }: PanelDeps, restaurantId: string | null): Promise<Answer> {
  const positions = await listPositions(db, { restaurantId, now: clock.now() });
  const answer: PositionsAnswer = {
    positions: positions.map(({ reportedAt, ...position }) => ({
      ...position,
      reportedAt: new Date(reportedAt).toISOString(),
    })),
  };
  return ok(answer);
}

/** `restaurantId` null: of whichever restaurant. */
async function tellPlan({ db }: PanelDeps, orderId: string, restaurantId: string | null): Promise<Answer> {
  const order = await findOrderById(db, orderId);
  const isForeign = restaurantId !== null && order?.restaurantId !== restaurantId;
  if (order === undefined || isForeign) return refused(refuse('ORDER_002'));
  const [plan] = await listOrderPlans(db, [order.id]);
  const answer: OrderPlanAnswer = {
    courierId: plan?.courierId ?? null,
    pickupAt: toText(plan?.pickupAt ?? null),
    dropoffAt: toText(plan?.dropoffAt ?? null),
    explanation: plan?.explanation ?? null,
    lockedTo: plan?.lockedTo ?? null,
    plannedAt: toText(plan?.plannedAt ?? null),
  };
  return ok(answer);
}

function toText(at: Instant | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
