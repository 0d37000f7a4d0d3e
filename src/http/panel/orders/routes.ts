// Order routes for restaurants.
import type { ChangeRequest, ChangeResult } from '../../../actions/orders/change-order.ts';
import { fixDropoff } from '../../../actions/orders/fix-dropoff.ts';
import { resendDelivery } from '../../../actions/webhooks/resend-delivery.ts';
import { timelineApi } from '../../../contract/panel/orders/timeline.ts';
import { candidatesApi } from '../../../contract/panel/planning/candidates.ts';
import { ordersApi, type BulkAnswer, type ChangeAnswer } from '../../../contract/panel/orders/orders.ts';
import { describeCancellation } from '../../../domain/orders/cancellation.ts';
import type { Command } from '../../../domain/orders/order.ts';
import { describeRefusal, refuse, refused } from '../../../domain/refusals.ts';
import { listBoard, listCards, searchOrders } from '../../../store/orders/board.ts';
import { ok, type Answer } from '../../protocol/answer.ts';
import { getCandidates } from '../planning/candidate-view.ts';
import { showPhoto } from '../couriers/photo.ts';
import { describeTimeline, findIssuesOf, toBoardOrder, toOrderDetail } from './views.ts';
import { restaurantRoute, type PanelDeps, type RestaurantSession } from '../route.ts';

const UNKNOWN = refuse('ORDER_002');
const RESTAURANT = { role: 'restaurant' } as const;

const readRoutes = [
  restaurantRoute(ordersApi.list, {
    handler: async (deps, { session: { restaurantId }, query }) => {
      const { ids, q, state } = query;
      const cards = await (ids !== undefined
        ? listCards(deps.db, restaurantId, ids)
        : q !== undefined
          ? searchOrders(deps.db, restaurantId, q)
          : listBoard(deps.db, restaurantId, state ?? null));
      return ok({ orders: cards.map(toBoardOrder) });
    },
  }),
  restaurantRoute(ordersApi.read, {
    handler: async (deps, { session, params }) => {
      const card = await findCard(deps, session, params.orderId);
      const detail = card && (await toOrderDetail(deps.db, card));
      return detail === undefined ? refused(UNKNOWN) : ok(detail);
    },
  }),
  restaurantRoute(ordersApi.readCourierPhoto, {
    handler: async (deps, { session, params }) => {
      const card = await findCard(deps, session, params.orderId);
      if (card === undefined || card.courierId === null || card.courierAcceptedAt === null) return refused(UNKNOWN);
      return showPhoto(deps, card.courierId);
    },
  }),
  restaurantRoute(timelineApi.read, {
    handler: async (deps, { session, params }) => {
      const card = await findCard(deps, session, params.orderId);
      return card === undefined ? refused(UNKNOWN) : ok(await describeTimeline(deps, card));
    },
  }),
  restaurantRoute(candidatesApi.listForRestaurant, {
    handler: (deps, { session: { restaurantId }, params, query }) =>
      getCandidates(deps, { ...params, scope: { restaurantId }, called: query.q ?? '' }),
  }),
];

const changeRoutes = [
  restaurantRoute(ordersApi.command, {
    sample: { body: { command: 'approve' } },
    handler: async (deps, { session, params, body }) => {
      const command: ChangeRequest['command'] =
        body.command === 'assign' ? { name: 'give', as: 'assign', courierId: body.courierId } : { name: body.command };
      return change(deps, session, { ...params, command });
    },
  }),
  restaurantRoute(ordersApi.cancel, {
    handler: async (deps, { session, params, body }) => {
      const { cancelReasonId: reasonId, reason } = body;
      const text = describeCancellation(reasonId, reason);
      const command: Command = { name: 'cancel', cancellation: { reasonId, by: 'Restaurant', text } };
      return change(deps, session, { ...params, command });
    },
  }),
  restaurantRoute(ordersApi.approve, {
    handler: async (deps, { session: { restaurantId }, body }) => {
      const command = { name: 'approve' } as const;
      const results = await Promise.all(
        [...new Set(body.orderIds)].map(async (orderId) =>
          toBulkResult(
            orderId,
            await deps.changer.change({ orderId, scope: { restaurantId }, command, actor: RESTAURANT }),
          ),
        ),
      );
      return ok({ results });
    },
  }),
  restaurantRoute(ordersApi.fixDropoff, {
    sample: { body: { location: { latitude: 41, longitude: 29 } } },
    handler: async (deps, { session, params, body }) => {
      const { restaurantId, actor } = session;
      const { address, location } = body;
      const result = await fixDropoff(deps, {
        ...params,
        scope: { restaurantId },
        actor,
        ...(address !== undefined && { address: { ...address } }),
        ...(location !== undefined && { location }),
        findIssues: findIssuesOf,
      });
      if (result.kind === 'refused') return result;
      return answerWithOrder(deps, session, { ...params, result: result.kind });
    },
  }),
  restaurantRoute(timelineApi.resend, {
    handler: async (deps, { session, params }) => {
      const { restaurantId, actor } = session;
      const result = await resendDelivery(deps, { ...params, scope: { restaurantId }, actor });
      return result.kind === 'refused' ? result : ok({ result: result.kind });
    },
  }),
];

export const orderRoutes = [...readRoutes, ...changeRoutes];

async function findCard(deps: PanelDeps, { restaurantId }: RestaurantSession, orderId: string) {
  const [card] = await listCards(deps.db, restaurantId, [orderId]);
  return card;
}

async function change(
  deps: PanelDeps,
  session: RestaurantSession,
  request: Pick<ChangeRequest, 'orderId' | 'command'>,
): Promise<Answer<ChangeAnswer>> {
  const { restaurantId } = session;
  const result = await deps.changer.change({ ...request, scope: { restaurantId }, actor: RESTAURANT });
  if (result.kind === 'refused') return result;
  return answerWithOrder(deps, session, { orderId: request.orderId, result: result.kind });
}

async function answerWithOrder(
  deps: PanelDeps,
  session: RestaurantSession,
  { orderId, result }: { orderId: string; result: ChangeAnswer['result'] },
): Promise<Answer<ChangeAnswer>> {
  const card = await findCard(deps, session, orderId);
  if (card === undefined) return refused(UNKNOWN);
  return ok({ result, order: toBoardOrder(card) });
}

function toBulkResult(orderId: string, result: ChangeResult): BulkAnswer['results'][number] {
  if (result.kind !== 'refused') return { orderId, result: result.kind, state: result.state, message: null };
  return { orderId, result: 'refused', state: null, message: describeRefusal(result.refusal) };
}
