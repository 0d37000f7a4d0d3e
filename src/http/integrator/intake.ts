// Order intake: contract 4.1.
import type { OrderPlacer, PlacedOrder } from '../../actions/orders/place-order.ts';
import type { DryRunAnswer, OrderAnswer } from '../../contract/integrator/answers.ts';
import { readOrderRequest } from '../../contract/integrator/orders/request.ts';
import type { OrderRequest } from '../../contract/integrator/orders/schema.ts';
import { readIntakeQuery } from '../../contract/integrator/requests.ts';
import { refuse, refused } from '../../domain/refusals.ts';
import type { Restaurant } from '../../domain/restaurants/restaurant.ts';
import { formatWithOffset, type Instant } from '../../domain/time.ts';
import { ok, type Answer } from '../protocol/answer.ts';
import type { IntegratorCall } from './guard.ts';

export interface IntakeDeps {
  environment: 'live' | 'test';
  placer: OrderPlacer;
}

export async function placeOrder(deps: IntakeDeps, call: IntegratorCall): Promise<Answer> {
  const query = readIntakeQuery(call.query);
  if (!query.ok) return refused(query.refusal);
  const body = await call.readBody();
  if (!body.ok) return refused(body.refusal);
  const read = readOrderRequest(body.value, deps);
  if (!read.ok) return refused(read.refusal);
  const { order, warnings, issues } = read;
  const { orderId, restaurantId } = order;
  call.context.orderId = orderId;
  const { restaurant } = call.credential;
  if (restaurantId !== restaurant.providerRestaurantId) return refused(refuse('AUTH_012'));
  if (query.value.dryRun) {
    return ok({ dryRun: true, orderId, restaurantId, warnings, issues } satisfies DryRunAnswer);
  }
  const { value: content, bytes: contentBytes } = body;
  const wantedAt = wantedAtOf(order);
  const result = await deps.placer.place({ restaurant, orderId, content, contentBytes, wantedAt, warnings, issues });
  if (result.kind === 'refused') return refused(result.refusal);
  const answer = ok(describePlaced(result.order, restaurant), result.kind === 'created' ? 201 : 200);
  return result.kind === 'created' ? answer : { ...answer, headers: REPLAYED };
}

const REPLAYED = { 'idempotent-replayed': 'true' };

/** Issues are returned as they were stored. */
type Placed = Omit<OrderAnswer, 'issues'> & { issues: readonly unknown[] };

function describePlaced(order: PlacedOrder, restaurant: Restaurant): Placed {
  return {
    orderId: order.orderId,
    restaurantId: order.restaurantId,
    serviceOrderId: order.serviceOrderId,
    orderNumber: order.orderNumber,
    status: order.status,
    createdAt: formatWithOffset(order.createdAt, restaurant.timeZone),
    warnings: [...order.warnings],
    issues: order.issues,
  };
}

/** When the order is wanted; null for as soon as possible. */
export function wantedAtOf({ timing }: Pick<OrderRequest, 'timing'>): Instant | null {
  if (timing === undefined || timing.asap === true) return null;
  const wanted = timing.dropoffWindow?.start ?? timing.readyAt;
  return wanted === undefined ? null : Date.parse(wanted);
}
