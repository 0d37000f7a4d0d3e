// Groups the orders on the board. Pure.
import type { BoardOrder } from '../../../../../src/contract/panel/orders/orders.ts';
import { isFinal, STATES, type OrderState } from '../../../../../src/domain/orders/order.ts';

/** One column or section: a state that is not final, or all finished orders. */
export type GroupName = Exclude<OrderState, 'DELIVERED' | 'CANCELED'> | 'FINISHED';

export interface Group {
  name: GroupName;
  orders: BoardOrder[];
}

const LIVE_STATES = STATES.filter((state): state is Exclude<GroupName, 'FINISHED'> => !isFinal(state));

/** Groups in lifecycle order, oldest order first; finished orders with the most recent first. */
export function groupOrders(orders: readonly BoardOrder[]): Group[] {
  const groups = new Map<GroupName, BoardOrder[]>([...LIVE_STATES, 'FINISHED' as const].map((name) => [name, []]));
  for (const order of orders) groups.get(groupOf(order.state))?.push(order);
  for (const group of groups.values()) group.sort((left, right) => compare(left.createdAt, right.createdAt));
  groups.get('FINISHED')?.sort((left, right) => compare(right.changedAt, left.changedAt));
  return [...groups].map(([name, list]) => ({ name, orders: list }));
}

function groupOf(state: OrderState): GroupName {
  return state === 'DELIVERED' || state === 'CANCELED' ? 'FINISHED' : state;
}

/** RFC 3339 in UTC sorts as text. */
function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
