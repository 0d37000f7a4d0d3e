// Routes of the courier's page. The courier always comes from the session; an order that isn't theirs gets the same
// answer as an unknown one.
import { declineOffer } from '../../../actions/couriers/decline-offer.ts';
import { reportAct } from '../../../actions/couriers/report-action.ts';
import { reportPosition } from '../../../actions/couriers/report-position.ts';
import { setCourierDuty } from '../../../actions/couriers/set-courier-duty.ts';
import { setCourierPhoto } from '../../../actions/couriers/set-courier-photo.ts';
import type { ChangeResult } from '../../../actions/orders/change-order.ts';
import { courierApi, type ActsAnswer, type CourierWork } from '../../../contract/panel/couriers/courier-page.ts';
import { CANCEL_REASONS, type Cancellation } from '../../../domain/orders/cancellation.ts';
import type { OrderState } from '../../../domain/orders/order.ts';
import { whyCourierCannot } from '../../../domain/orders/courier-blocked-reasons.ts';
import { describeRefusal, refuse, refused } from '../../../domain/refusals.ts';
import { formatUtc } from '../../../domain/time.ts';
import { findPhotoTime } from '../../../store/couriers/photos.ts';
import { findPosition } from '../../../store/couriers/positions.ts';
import { findShiftEnd } from '../../../store/couriers/shifts.ts';
import { findCourier } from '../../../store/couriers/couriers.ts';
import { findOrderEnding, listCourierWork } from '../../../store/orders/offers.ts';
import { ok, type Answer } from '../../protocol/answer.ts';
import { showPhoto } from './photo.ts';
import { describeEnding, describeOffers, describeStops } from './work.ts';
import { done } from '../guard.ts';
import { panelRoute, type PanelDeps, type PanelSession } from '../route.ts';

const COURIER = ['courier'] as const;
const UNKNOWN = refuse('PANEL_001');
const A_PIXEL = 'iVBORw0KGgo=';

export const courierRoutes = [
  panelRoute(courierApi.readWork, {
    roles: COURIER,
    handler: (deps, { session }) => getWork(deps, session),
  }),
  panelRoute(courierApi.setDuty, {
    roles: COURIER,
    handler: async (deps, { session, body }) => {
      const { courierId, actor } = session;
      if (courierId === null) return refused(UNKNOWN);
      const { onDuty } = body;
      const result = await setCourierDuty(deps, { courierId, scope: { courierId }, onDuty, actor });
      return result.kind === 'refused' ? result : done();
    },
  }),
  panelRoute(courierApi.reportPosition, {
    roles: COURIER,
    handler: async (deps, { session, body }) => {
      if (session.courierId === null) return refused(UNKNOWN);
      return ok({ isKept: await reportPosition(deps, session.courierId, body) });
    },
  }),
  panelRoute(courierApi.accept, {
    roles: COURIER,
    handler: (deps, { session, params: { orderId } }) =>
      answerFor(deps, session, {
        orderId,
        name: 'accept',
        carryOut: (actor) => deps.changer.change({ orderId, scope: actor, command: { name: 'accept' }, actor }),
      }),
  }),
  panelRoute(courierApi.decline, {
    roles: COURIER,
    handler: (deps, { session, params: { orderId }, body: { reason } }) =>
      answerFor(deps, session, {
        orderId,
        name: 'decline',
        carryOut: (actor) => declineOffer(deps, { orderId, courierId: actor.courierId, reason }),
      }),
  }),
  panelRoute(courierApi.reportActs, {
    roles: COURIER,
    handler: async (deps, { session, body }) => {
      const { courierId } = session;
      if (courierId === null) return refused(UNKNOWN);
      const results: ActsAnswer['results'] = [];
      // Sequentially, because each may depend on the one before.
      for (const { id, orderId, kind, at, detail = null } of body.acts) {
        const result = await reportAct(deps, { id, courierId, orderId, kind, actedAt: Date.parse(at), detail });
        const explanation = result.kind === 'refused' ? `${describeRefusal(result.refusal)}.` : null;
        results.push({ id, outcome: result.kind, explanation });
      }
      return ok({ results });
    },
  }),
  panelRoute(courierApi.cancel, {
    roles: COURIER,
    handler: (deps, { session, params: { orderId }, body }) => {
      const reasonId = body.cancelReasonId;
      const text = body.reason ?? CANCEL_REASONS[reasonId].meaning;
      const cancellation: Cancellation = { reasonId, by: 'Courier', text };
      return answerFor(deps, session, {
        orderId,
        name: 'cancel',
        carryOut: (actor) =>
          deps.changer.change({ orderId, scope: actor, command: { name: 'cancel', cancellation }, actor }),
      });
    },
  }),
  panelRoute(courierApi.readEnding, {
    roles: COURIER,
    handler: async (deps, { session, params }) => {
      const { courierId } = session;
      const end = courierId === null ? undefined : await findOrderEnding(deps.db, courierId, params.orderId);
      return end === undefined ? refused(UNKNOWN) : ok(describeEnding(end));
    },
  }),
  panelRoute(courierApi.setPhoto, {
    roles: COURIER,
    sample: { body: { content: A_PIXEL } },
    handler: async (deps, { session, body }) => {
      const { courierId } = session;
      if (courierId === null) return refused(UNKNOWN);
      const content = body.content === null ? null : Buffer.from(body.content, 'base64');
      const result = await setCourierPhoto(deps, { courierId, scope: { courierId }, content });
      return result.kind === 'refused' ? result : done();
    },
  }),
  panelRoute(courierApi.readPhoto, {
    roles: COURIER,
    handler: (deps, { session }) =>
      session.courierId === null ? refused(UNKNOWN) : showPhoto(deps, session.courierId),
  }),
];

async function getWork(deps: PanelDeps, { courierId }: PanelSession): Promise<Answer<CourierWork>> {
  const courier = courierId === null ? undefined : await findCourier(deps.db, courierId);
  if (courier === undefined) return refused(UNKNOWN);
  const now = deps.clock.now();
  const [orders, shiftEndsAt, position, photoAt] = await Promise.all([
    listCourierWork(deps.db, courier.id),
    findShiftEnd(deps.db, courier.id, now),
    findPosition(deps.db, courier.id),
    findPhotoTime(deps.db, courier.id),
  ]);
  const { id, name, phone, vehicle, capacity, onDuty } = courier;
  const work: CourierWork = {
    courier: { id, name, phone, vehicle, capacity, onDuty, photoAt: formatUtc(photoAt) },
    shiftEndsAt: formatUtc(shiftEndsAt),
    offers: describeOffers(orders, { place: position ?? null, payPerOrder: courier.payPerOrder }),
    stops: describeStops(orders),
    now: formatUtc(now),
  };
  return ok(work);
}

interface CourierCommand {
  orderId: string;
  name: 'accept' | 'decline' | 'cancel';
  carryOut: (actor: { role: 'courier'; courierId: string }) => Promise<ChangeResult>;
}

async function answerFor(
  deps: PanelDeps,
  { courierId }: PanelSession,
  command: CourierCommand,
): Promise<Answer<{ state: OrderState }>> {
  if (courierId === null) return refused(UNKNOWN);
  const result = await command.carryOut({ role: 'courier', courierId });
  if (result.kind !== 'refused') return ok({ state: result.state });
  if (result.refusal.code === 'ORDER_002') return refused(UNKNOWN);
  const order = await findOrderEnding(deps.db, courierId, command.orderId);
  const reason = order === undefined ? null : whyCourierCannot(order, command.name);
  return refused(reason === null ? result.refusal : { ...result.refusal, message: reason });
}
