// Order routes for restaurants.
import { z } from 'zod';
import type { ChangeResult } from '../../../actions/orders/change-order.ts';
import { fixDropoff } from '../../../actions/orders/fix-dropoff.ts';
import { resendDelivery } from '../../../actions/webhooks/resend-delivery.ts';
import type { ResendAnswer } from '../../../contract/panel/orders/timeline.ts';
import { candidatesQuery } from '../../../contract/panel/planning/candidates.ts';
import {
  boardQuery,
  bulkRequest,
  cancelRequest,
  commandRequest,
  dropoffRequest,
  type BoardAnswer,
  type BulkAnswer,
  type ChangeAnswer,
} from '../../../contract/panel/orders/orders.ts';
import { describeCancellation } from '../../../domain/orders/cancellation.ts';
import type { Command } from '../../../domain/orders/order.ts';
import { refuse, REFUSALS } from '../../../domain/refusals.ts';
import { findOrderById } from '../../../store/orders/orders.ts';
import { findAssignable, listBoard, listCards, searchOrders } from '../../../store/orders/board.ts';
import { ok, refused, type Answer } from '../../protocol/answer.ts';
import { tellCandidates } from '../planning/candidate-view.ts';
import { showPhoto } from '../couriers/photo.ts';
import { describeTimeline, findIssuesOf, toBoardOrder, toOrderDetail } from './views.ts';
import { restaurantRoute, type PanelDeps, type RestaurantSession } from '../route.ts';

const orderParams = z.object({ orderId: z.uuid() });
const deliveryParams = orderParams.extend({ eventId: z.uuid() });
const UNKNOWN = refuse('ORDER_002');

const readRoutes = [
  restaurantRoute({
    method: 'GET',
    url: '/api/orders',
    query: boardQuery,
    handler: async (deps, { session: { restaurantId }, query }) => {
      const { ids, q, state } = query;
      const cards = await (ids !== undefined
        ? listCards(deps.db, restaurantId, ids)
        : q !== undefined
          ? searchOrders(deps.db, restaurantId, q)
          : listBoard(deps.db, restaurantId, state ?? null));
      return ok({ orders: cards.map(toBoardOrder) } satisfies BoardAnswer);
    },
  }),
  restaurantRoute({
    method: 'GET',
    url: '/api/orders/:orderId',
    params: orderParams,
    handler: async (deps, { session, params }) => {
      const card = await findCard(deps, session, params.orderId);
      const detail = card && (await toOrderDetail(deps.db, card));
      return detail === undefined ? refused(UNKNOWN) : ok(detail);
    },
  }),
  restaurantRoute({
    method: 'GET',
    url: '/api/orders/:orderId/courier-photo',
    params: orderParams,
    handler: async (deps, { session, params }) => {
      const order = await findOrderById(deps.db, params.orderId);
      const courier = order?.restaurantId === session.restaurantId ? order.courier : null;
      return courier?.hasAccepted === true ? showPhoto(deps, courier.id) : refused(UNKNOWN);
    },
  }),
  restaurantRoute({
    method: 'GET',
    url: '/api/orders/:orderId/timeline',
    params: orderParams,
    handler: async (deps, { session, params }) => {
      const card = await findCard(deps, session, params.orderId);
      return card === undefined ? refused(UNKNOWN) : ok(await describeTimeline(deps, card));
    },
  }),
  restaurantRoute({
    method: 'GET',
    url: '/api/orders/:orderId/couriers',
    params: orderParams,
    query: candidatesQuery,
    handler: async (deps, { session, params, query }) => {
      if ((await findCard(deps, session, params.orderId)) === undefined) return refused(UNKNOWN);
      const { restaurantId } = session;
      return tellCandidates(deps, { ...params, restaurantId, called: query.q ?? '', viewer: 'restaurant' });
    },
  }),
];

const changeRoutes = [
  restaurantRoute({
    method: 'POST',
    url: '/api/orders/:orderId/commands',
    params: orderParams,
    body: commandRequest,
    sample: { body: { command: 'approve' } },
    handler: async (deps, { session, params, body }) => {
      if ((await findCard(deps, session, params.orderId)) === undefined) return refused(UNKNOWN);
      if (body.command !== 'assign') return give(deps, session, { ...params, command: { name: body.command } });
      const courier = await findAssignable(deps.db, session.restaurantId, body.courierId);
      if (courier?.onDuty !== true) {
        const message = courier === undefined ? 'No such courier' : `${courier.name} is off duty`;
        return refused(refuse('REQ_004', undefined, [{ field: 'courierId', message }]));
      }
      return give(deps, session, { ...params, command: { name: 'assign', courierId: body.courierId } });
    },
  }),
  restaurantRoute({
    method: 'POST',
    url: '/api/orders/:orderId/cancel',
    params: orderParams,
    body: cancelRequest,
    handler: async (deps, { session, params, body }) => {
      if ((await findCard(deps, session, params.orderId)) === undefined) return refused(UNKNOWN);
      const { cancelReasonId: reasonId, reason } = body;
      const text = describeCancellation(reasonId, reason);
      const command: Command = { name: 'cancel', cancellation: { reasonId, by: 'Restaurant', text } };
      return give(deps, session, { ...params, command });
    },
  }),
  restaurantRoute({
    method: 'POST',
    url: '/api/orders/approve',
    body: bulkRequest,
    handler: async (deps, { session, body }) => {
      const ids = [...new Set(body.orderIds)];
      const cards = await listCards(deps.db, session.restaurantId, ids);
      const own = new Set(cards.map((card) => card.id));
      const results = await Promise.all(
        ids.map(async (orderId) => {
          const result: ChangeResult = own.has(orderId)
            ? await deps.changer.change({ orderId, command: { name: 'approve' }, actor: { role: 'restaurant' } })
            : { kind: 'refused', refusal: UNKNOWN };
          return toBulkResult(orderId, result);
        }),
      );
      return ok({ results } satisfies BulkAnswer);
    },
  }),
  restaurantRoute({
    method: 'PATCH',
    url: '/api/orders/:orderId/dropoff',
    params: orderParams,
    body: dropoffRequest,
    sample: { body: { location: { latitude: 41, longitude: 29 } } },
    handler: async (deps, { session, params, body }) => {
      const { restaurantId, actor } = session;
      const { address, location } = body;
      const result = await fixDropoff(deps, {
        ...params,
        restaurantId,
        actor,
        ...(address !== undefined && { address: { ...address } }),
        ...(location !== undefined && { location }),
        findIssues: findIssuesOf,
      });
      if (result.kind === 'refused') return refused(result.refusal);
      return tellOrder(deps, session, { ...params, result: result.kind });
    },
  }),
  restaurantRoute({
    method: 'POST',
    url: '/api/orders/:orderId/deliveries/:eventId/resend',
    params: deliveryParams,
    handler: async (deps, { session, params }) => {
      const { restaurantId, actor } = session;
      const result = await resendDelivery(deps, { ...params, restaurantId, actor });
      return result === 'unknown' ? refused(refuse('PANEL_001')) : ok({ result } satisfies ResendAnswer);
    },
  }),
];

export const orderRoutes = [...readRoutes, ...changeRoutes];

async function findCard(deps: PanelDeps, { restaurantId }: RestaurantSession, orderId: string) {
  const [card] = await listCards(deps.db, restaurantId, [orderId]);
  return card;
}

async function give(
  deps: PanelDeps,
  session: RestaurantSession,
  request: { orderId: string; command: Command },
): Promise<Answer> {
  const result = await deps.changer.change({ ...request, actor: { role: 'restaurant' } });
  if (result.kind === 'refused') return refused(result.refusal);
  return tellOrder(deps, session, { orderId: request.orderId, result: result.kind });
}

async function tellOrder(
  deps: PanelDeps,
  session: RestaurantSession,
  { orderId, result }: { orderId: string; result: ChangeAnswer['result'] },
): Promise<Answer> {
  const card = await findCard(deps, session, orderId);
  if (card === undefined) return refused(UNKNOWN);
  return ok({ result, order: toBoardOrder(card) } satisfies ChangeAnswer);
}

function toBulkResult(orderId: string, result: ChangeResult): BulkAnswer['results'][number] {
  if (result.kind !== 'refused') return { orderId, result: result.kind, state: result.state, message: null };
  return { orderId, result: 'refused', state: null, message: result.refusal.message ?? REFUSALS.ORDER_002.message };
}
