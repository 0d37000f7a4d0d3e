// The plan for restaurants, who see their own orders, and for the operator, who sees everything and may override it.
import { z } from 'zod';
import { dismissProblem } from '../../../actions/planning/dismiss-problem.ts';
import { lockOrder } from '../../../actions/planning/lock-order.ts';
import { moveOrder } from '../../../actions/planning/move-order.ts';
import { requestReplan } from '../../../actions/planning/request-replan.ts';
import { candidatesQuery } from '../../../contract/panel/planning/candidates.ts';
import {
  lockRequest,
  moveRequest,
  operatorCancelRequest,
  type AreasAnswer,
  type PositionsAnswer,
} from '../../../contract/panel/planning/planning.ts';
import { describeCancellation } from '../../../domain/orders/cancellation.ts';
import { refuse } from '../../../domain/refusals.ts';
import { formatUtc } from '../../../domain/time.ts';
import { listPositions } from '../../../store/couriers/positions.ts';
import { findOrderById } from '../../../store/orders/orders.ts';
import { listPlannedAreas } from '../../../store/planning/areas.ts';
import { ok, refused, type Answer } from '../../protocol/answer.ts';
import { tellCandidates } from './candidate-view.ts';
import { declined, done } from '../guard.ts';
import { panelRoute, restaurantRoute, type PanelDeps } from '../route.ts';
import { readAlarms, readOperatorOrder, readOrderPlan, readOrdersOfThePlan } from './views.ts';

const OPERATOR = ['operator'] as const;
const orderParams = z.object({ orderId: z.uuid() });

export const planningRoutes = [
  restaurantRoute({
    method: 'GET',
    url: '/api/planning/alarms',
    handler: async (deps, { session }) => ok(await readAlarms(deps.db, session.restaurantId)),
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
    handler: async (deps, { session, params }) => {
      const plan = await readOrderPlan(deps.db, params.orderId, session.restaurantId);
      return plan === undefined ? refused(refuse('ORDER_002')) : ok(plan);
    },
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
    handler: async (deps) => ok(await readAlarms(deps.db, null)),
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
      const answer: AreasAnswer = {
        areas: areas.map((area) => ({ ...area, plannedAt: formatUtc(area.plannedAt) })),
      };
      return ok(answer);
    },
  }),
  panelRoute({
    method: 'GET',
    url: '/api/operator/planning/orders',
    roles: OPERATOR,
    handler: async (deps) => ok(await readOrdersOfThePlan(deps.db)),
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
    handler: async (deps, { params }) => {
      const order = await readOperatorOrder(deps.db, params.orderId);
      return order === undefined ? refused(refuse('ORDER_002')) : ok(order);
    },
  }),
  panelRoute({
    method: 'GET',
    url: '/api/operator/planning/orders/:orderId/couriers',
    roles: OPERATOR,
    params: orderParams,
    query: candidatesQuery,
    handler: async (deps, { params, query }) => {
      const order = await findOrderById(deps.db, params.orderId);
      if (order === undefined) return refused(refuse('ORDER_002'));
      return tellCandidates(deps, {
        ...params,
        restaurantId: order.restaurantId,
        called: query.q ?? '',
        viewer: 'operator',
      });
    },
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
  panelRoute({
    method: 'POST',
    url: '/api/operator/planning/orders/:orderId/cancel',
    roles: OPERATOR,
    params: orderParams,
    body: operatorCancelRequest,
    handler: async (deps, { session, params, body }) => {
      const { cancelReasonId: reasonId, canceledBy: by, reason } = body;
      const cancellation = { reasonId, by, text: describeCancellation(reasonId, reason) };
      const result = await deps.changer.change({
        ...params,
        command: { name: 'cancel', cancellation },
        actor: { role: 'operator' },
        audit: {
          actor: session.actor,
          action: 'order.canceled',
          detail: { ...params, cancelReasonId: reasonId, canceledBy: by },
        },
      });
      return result.kind === 'refused' ? refused(result.refusal) : done();
    },
  }),
];

async function tellPositions({ db, clock }: PanelDeps, restaurantId: string | null): Promise<Answer> {
  const positions = await listPositions(db, { restaurantId, now: clock.now() });
  const answer: PositionsAnswer = {
    positions: positions.map(({ reportedAt, ...position }) => ({
      ...position,
      reportedAt: formatUtc(reportedAt),
    })),
  };
  return ok(answer);
}
