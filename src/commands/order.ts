import { z } from 'zod';
import type { ChangeRequest, ChangeResult } from '../actions/orders/change-order.ts';
import { CANCEL_REASONS, CANCELED_BY, isCancelReasonId, type CanceledBy } from '../domain/orders/cancellation.ts';
import type { Actor } from '../domain/orders/order.ts';
import { refuse, refused } from '../domain/refusals.ts';
import { findLeastLoadedCourier } from '../store/couriers/couriers.ts';
import type { Queryable } from '../store/database/database.ts';
import { findOrderById, type OrderView } from '../store/orders/orders.ts';
import { findNamedCourier } from './lookup.ts';
import { failed } from './refusals.ts';
import { defineCommand, type Outcome } from './terminal/command.ts';
import { text } from './terminal/inputs.ts';
import { describeOrder } from './order-view.ts';
import { done } from './terminal/render.ts';

const STEPS = ['approve', 'route', 'assign', 'select', 'accept', 'decline', 'prepare', 'pick_up', 'deliver'] as const;
type Step = (typeof STEPS)[number];

const orderShow = defineCommand({
  name: 'order show',
  usage: '<serviceOrderId>',
  summary: 'Show an order with its history and webhooks.',
  input: { serviceOrderId: text },
  positionals: ['serviceOrderId'],
  run: ({ serviceOrderId }, context) =>
    context.withSession(async (session) => {
      const order = await findOrderById(session.db, serviceOrderId);
      return order === undefined ? noSuchOrder() : describeOrder(session.db, order);
    }),
});

const orderDo = defineCommand({
  name: 'order do',
  usage: `<serviceOrderId> <${STEPS.join('|')}> [--courier C]`,
  summary: 'Move an order to its next state on behalf of the restaurant, planner or courier. C is an id or exact name.',
  input: {
    serviceOrderId: text,
    step: z.enum(STEPS, `must be one of ${STEPS.join(', ')}`),
    courier: text.optional(),
  },
  positionals: ['serviceOrderId', 'step'],
  run: ({ serviceOrderId, step, courier }, context) =>
    context.withSession(async (session) => {
      const order = await findOrderById(session.db, serviceOrderId);
      if (order === undefined) return noSuchOrder();
      const chosen = await chooseCourier(session.db, { order, step, named: courier });
      if (chosen.kind === 'failed') return chosen;
      const act = actOf(step, chosen.courierId);
      if (act === undefined) {
        const message = `The order has no courier. Assign one with: order do ${order.id} assign`;
        return { kind: 'failed', message };
      }
      const result = await session.changer.change({ scope: 'everything', orderId: order.id, ...act });
      return describeChange(order, result, chosen.courierId);
    }),
});

type Choice = { kind: 'chosen'; courierId: string | null } | (Outcome & { kind: 'failed' });

async function chooseCourier(
  db: Queryable,
  wish: { order: OrderView; step: Step; named: string | undefined },
): Promise<Choice> {
  const { order, step, named } = wish;
  if (named !== undefined) {
    const courier = await findNamedCourier(db, named);
    return courier.kind === 'failed' ? courier : { kind: 'chosen', courierId: courier.found.id };
  }
  if (step !== 'assign' && step !== 'select') return { kind: 'chosen', courierId: order.courier?.id ?? null };
  // Repeating the command keeps the courier and changes nothing.
  if (order.courier !== null) return { kind: 'chosen', courierId: order.courier.id };
  const courier = await findLeastLoadedCourier(db, order.restaurantId);
  if (courier !== undefined) return { kind: 'chosen', courierId: courier.id };
  return { kind: 'failed', message: 'No courier is on duty. Add one with: courier add --name N' };
}

/** The command and its actor; undefined if it needs a courier and there is none. */
function actOf(step: Step, courierId: string | null): Pick<ChangeRequest, 'command' | 'actor'> | undefined {
  if (step === 'approve' || step === 'prepare') return { command: { name: step }, actor: { role: 'restaurant' } };
  if (step === 'route') return { command: { name: step }, actor: { role: 'planner' } };
  if (courierId === null) return undefined;
  if (step === 'assign') return { command: { name: 'give', as: step, courierId }, actor: { role: 'operator' } };
  if (step === 'select') return { command: { name: 'give', as: step, courierId }, actor: { role: 'planner' } };
  return { command: { name: step }, actor: { role: 'courier', courierId } };
}

const orderCancel = defineCommand({
  name: 'order cancel',
  usage: `<serviceOrderId> --reason CODE --by ${CANCELED_BY.join('|')} [--text T]`,
  summary: `Cancel an order. CODE is one of ${Object.keys(CANCEL_REASONS).join(', ')}.`,
  input: {
    serviceOrderId: text,
    reason: text.refine(isCancelReasonId, `must be one of ${Object.keys(CANCEL_REASONS).join(', ')}`),
    by: z.enum(CANCELED_BY, `must be one of ${CANCELED_BY.join(', ')}`),
    text: text.max(500, 'must be at most 500 characters').optional(),
  },
  positionals: ['serviceOrderId'],
  run: (input, context) =>
    context.withSession(async (session) => {
      const order = await findOrderById(session.db, input.serviceOrderId);
      if (order === undefined) return noSuchOrder();
      const { reason: reasonId, by } = input;
      if (!isCancelReasonId(reasonId)) throw new Error('the schema accepted an unknown cancel reason');
      const cancellation = { reasonId, by, text: input.text ?? CANCEL_REASONS[reasonId].meaning };
      const actor = cancelActor(by, order.courier?.id ?? null);
      const result = await session.changer.change({
        orderId: order.id,
        scope: 'everything',
        command: { name: 'cancel', cancellation },
        actor,
      });
      return describeChange(order, result, order.courier?.id ?? null);
    }),
});

function cancelActor(by: CanceledBy, courierId: string | null): Actor {
  if (by === 'Restaurant') return { role: 'restaurant' };
  if (by === 'System') return { role: 'system' };
  // Without a courier, the operator cancels on behalf of one.
  return courierId === null ? { role: 'operator' } : { role: 'courier', courierId };
}

function describeChange(order: OrderView, result: ChangeResult, courierId: string | null): Outcome {
  if (result.kind === 'refused') return failed(result);
  const isChanged = result.kind === 'changed';
  const headline = isChanged ? `The order is ${result.state}.` : `Nothing to change. The order is ${result.state}.`;
  return done(headline, { serviceOrderId: order.id, status: result.state, changed: isChanged, courierId });
}

function noSuchOrder(): Outcome {
  return failed(refused(refuse('ORDER_002')));
}

export const orderCommands = [orderShow, orderDo, orderCancel];
