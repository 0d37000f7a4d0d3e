// The plan for restaurants, who see their own orders, and for the operator, who sees everything and may override it.
import { dismissProblem } from '../../../actions/planning/dismiss-problem.ts';
import { lockOrder } from '../../../actions/planning/lock-order.ts';
import { moveOrder } from '../../../actions/planning/move-order.ts';
import { requestReplan } from '../../../actions/planning/request-replan.ts';
import { candidatesApi } from '../../../contract/panel/planning/candidates.ts';
import {
  operatorPlanningApi,
  planningApi,
  positionsApi,
  type AreasAnswer,
  type PositionsAnswer,
} from '../../../contract/panel/planning/planning.ts';
import { describeCancellation } from '../../../domain/orders/cancellation.ts';
import { refuse, refused } from '../../../domain/refusals.ts';
import { formatUtc } from '../../../domain/time.ts';
import { listPositions } from '../../../store/couriers/positions.ts';
import { listPlannedAreas } from '../../../store/planning/areas.ts';
import { ok, type Answer } from '../../protocol/answer.ts';
import { getCandidates } from './candidate-view.ts';
import { done } from '../guard.ts';
import { panelRoute, restaurantRoute, type PanelDeps } from '../route.ts';
import { readAlarms, readOperatorOrder, readOrderPlan, readOrdersOfThePlan } from './views.ts';

const OPERATOR = ['operator'] as const;

export const planningRoutes = [
  restaurantRoute(planningApi.listAlarms, {
    handler: async (deps, { session }) => ok(await readAlarms(deps.db, session.restaurantId)),
  }),
  restaurantRoute(positionsApi.list, {
    handler: (deps, { session }) => getPositions(deps, session.restaurantId),
  }),
  restaurantRoute(planningApi.readOrder, {
    handler: async (deps, { session, params }) => {
      const plan = await readOrderPlan(deps.db, params.orderId, session.restaurantId);
      return plan === undefined ? refused(refuse('ORDER_002')) : ok(plan);
    },
  }),
  restaurantRoute(planningApi.dismissProblem, {
    handler: async (deps, { session, params }) => {
      const { restaurantId, actor } = session;
      const result = await dismissProblem(deps, { orderId: params.orderId, scope: { restaurantId }, actor });
      return result.kind === 'refused' ? result : done();
    },
  }),
  panelRoute(operatorPlanningApi.listAlarms, {
    roles: OPERATOR,
    handler: async (deps) => ok(await readAlarms(deps.db, null)),
  }),
  panelRoute(positionsApi.listAll, {
    roles: OPERATOR,
    handler: (deps) => getPositions(deps, null),
  }),
  panelRoute(operatorPlanningApi.listAreas, {
    roles: OPERATOR,
    handler: async (deps) => {
      const areas = await listPlannedAreas(deps.db);
      const answer: AreasAnswer = {
        areas: areas.map((area) => ({ ...area, plannedAt: formatUtc(area.plannedAt) })),
      };
      return ok(answer);
    },
  }),
  panelRoute(operatorPlanningApi.listOrders, {
    roles: OPERATOR,
    handler: async (deps) => ok(await readOrdersOfThePlan(deps.db)),
  }),
  panelRoute(operatorPlanningApi.replan, {
    roles: OPERATOR,
    handler: async (deps, { session }) => {
      await requestReplan(deps, { actor: session.actor });
      return done();
    },
  }),
  panelRoute(operatorPlanningApi.readOrder, {
    roles: OPERATOR,
    handler: async (deps, { params }) => {
      const order = await readOperatorOrder(deps.db, params.orderId);
      return order === undefined ? refused(refuse('ORDER_002')) : ok(order);
    },
  }),
  panelRoute(candidatesApi.listForOperator, {
    roles: OPERATOR,
    handler: (deps, { params, query }) =>
      getCandidates(deps, { ...params, scope: 'everything', called: query.q ?? '' }),
  }),
  panelRoute(operatorPlanningApi.lock, {
    roles: OPERATOR,
    handler: async (deps, { session, params, body }) => {
      const { orderId } = params;
      const { courierId } = body;
      const result = await lockOrder(deps, { orderId, scope: 'everything', courierId, actor: session.actor });
      return result.kind === 'refused' ? result : done();
    },
  }),
  panelRoute(operatorPlanningApi.move, {
    roles: OPERATOR,
    handler: async (deps, { session, params, body }) => {
      const { orderId } = params;
      const { courierId } = body;
      const result = await moveOrder(deps, { orderId, scope: 'everything', courierId, actor: session.actor });
      return result.kind === 'refused' ? result : done();
    },
  }),
  panelRoute(operatorPlanningApi.cancel, {
    roles: OPERATOR,
    handler: async (deps, { session, params, body }) => {
      const { cancelReasonId: reasonId, canceledBy: by, reason } = body;
      const cancellation = { reasonId, by, text: describeCancellation(reasonId, reason) };
      const result = await deps.changer.change({
        ...params,
        scope: 'everything',
        command: { name: 'cancel', cancellation },
        actor: { role: 'operator' },
        audit: {
          actor: session.actor,
          action: 'order.canceled',
          detail: { ...params, cancelReasonId: reasonId, canceledBy: by },
        },
      });
      return result.kind === 'refused' ? result : done();
    },
  }),
];

async function getPositions({ db, clock }: PanelDeps, restaurantId: string | null): Promise<Answer<PositionsAnswer>> {
  const positions = await listPositions(db, { restaurantId, now: clock.now() });
  const answer: PositionsAnswer = {
    positions: positions.map(({ reportedAt, ...position }) => ({
      ...position,
      reportedAt: formatUtc(reportedAt),
    })),
  };
  return ok(answer);
}
