// Orders as a caller may touch them: one that is out of scope is refused like one that does not exist.
import { isInScope, type Scope } from '../../domain/people/scope.ts';
import { isUuid } from '../../store/database/uuid.ts';
import type { Queryable } from '../../store/database/database.ts';
import { lockOrders, type LockedOrder } from '../../store/orders/locked-orders.ts';

export async function lockOwnOrder(tx: Queryable, orderId: string, scope: Scope): Promise<LockedOrder | undefined> {
  const id = orderId.toLowerCase();
  const locked = isUuid(id) ? (await lockOrders(tx, [id])).get(id) : undefined;
  return locked !== undefined && isOwnOrder(locked, scope) ? locked : undefined;
}

export function isOwnOrder({ restaurantId, order }: LockedOrder, scope: Scope): boolean {
  return isInScope(scope, { restaurantId, courierId: order.courierId });
}
