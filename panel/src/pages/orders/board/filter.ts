// Filters the orders on the board. Pure.
import type { BoardOrder } from '../../../../../src/contract/panel/orders/orders.ts';
import { isFinal, STATES, type OrderState } from '../../../../../src/domain/orders/order.ts';
import { urgencyOf, type Aging } from './urgency.ts';

/** Issues that an order may have. */
export const ISSUES = ['late', 'dropoff-issue', 'no-courier', 'to-collect'] as const;
export type Issue = (typeof ISSUES)[number];

export interface BoardFilter {
  /** Empty: every state. */
  state: OrderState | '';
  /** Empty: every order. */
  only: Issue | '';
}

/** Reads the filter from the URL, which may contain anything. */
export function readFilter({ state, only }: { state?: string | undefined; only?: string | undefined }): BoardFilter {
  return {
    state: STATES.find((candidate) => candidate === state) ?? '',
    only: ISSUES.find((candidate) => candidate === only) ?? '',
  };
}

type Facts = Aging & Pick<BoardOrder, 'issueCount' | 'courierId' | 'toCollect'>;

export function filterOrders<T extends Facts>(orders: readonly T[], filter: BoardFilter, now: number): readonly T[] {
  const { state, only } = filter;
  if (state === '' && only === '') return orders;
  return orders.filter(
    (order) => (state === '' || order.state === state) && (only === '' || hasIssue(order, only, now)),
  );
}

function hasIssue(order: Facts, issue: Issue, now: number): boolean {
  if (isFinal(order.state)) return false;
  switch (issue) {
    case 'late':
      return urgencyOf(order, now) === 'late';
    case 'dropoff-issue':
      return order.issueCount > 0;
    case 'no-courier':
      return order.courierId === null;
    case 'to-collect':
      return order.toCollect !== null;
  }
}
