import { isInScope, type Scope } from '../../domain/people/scope.ts';
import { findCourier, type Courier } from '../../store/couriers/couriers.ts';
import type { Queryable } from '../../store/database/database.ts';

/** A courier of the pool belongs to no restaurant, so only the operator and the courier may change them. */
export async function findOwnCourier(tx: Queryable, courierId: string, scope: Scope): Promise<Courier | undefined> {
  const courier = await findCourier(tx, courierId);
  if (courier === undefined) return undefined;
  return isInScope(scope, { restaurantId: courier.restaurantId, courierId: courier.id }) ? courier : undefined;
}
