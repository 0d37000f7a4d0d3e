// Filters the orders on the board. Pure.
import type { BoardOrder } from '../../../../../src/contract/panel/orders/orders.ts';
import { isFinal, STATES, type OrderState } from '../../../../../src/domain/orders/order.ts';
import { urgencyOf, type Aging } from './urgency.ts';

/** Issues that an order may have. */
export const MATTERS = ['late', 'to-mend', 'no-courier', 'to-collect'] as const;
export type Matter = (typeof MATTERS)[number];

export interface BoardFilter {
  /** Empty: every state. */
  state: OrderState | '';
  /** Empty: every order. */
  only: Matter | '';
}

/** Reads the filter from the URL, which may contain anything. */
export function readFilter({ state, only }: { state?: string | undefined; only?: string | undefined }): BoardFilter {
  return {
    state: STATES.find((candidate) => candidate === state) ?? '',
    only: MATTERS.find((candidate) => candidate === only) ?? '',
  };
}

type Facts = Aging & Pick<BoardOrder, 'issueCount' | 'courierId' | 'toCollect'>;

export function filterOrders<T extends Facts>(orders: readonly T[], filter: BoardFilter, now: number): readonly T[] {
  const { state, only } = filter;
  if (state === '' && only === '') return orders;
  return orders.filter(
    (order) => (state === '' || order.state === state) && (only === '' || isTheMatter(order, only, now)),
  );
}

function isTheMatter(order: Facts, matter: Matter, now: number): boolean {
  if (isFinal(order.state)) return false;
  switch (matter) {
    case 'late':
      return urgencyOf(order, now) === 'late';
    case 'to-mend':
      return order.issueCount > 0;
    case 'no-courier':
      return order.courierId === null;
    case 'to-collect':
      return order.toCollect !== null;
  }
}
