// When the operator may lock an order to a courier or reassign it. Pages and actions call the same functions, so that
// buttons and the API never disagree.
import { isFinal, type OrderState } from '../orders/order.ts';

const MOVES: Partial<Record<OrderState, 'assign' | 'select' | 'reoffer'>> = {
  VALIDATED: 'assign',
  ROUTED: 'select',
  ASSIGNED: 'reoffer',
  ACCEPTED: 'reoffer',
  PREPARED: 'reoffer',
};

/** The command that gives an order to the operator's chosen courier, if one applies. */
export function moveCommandIn(state: OrderState): 'assign' | 'select' | 'reoffer' | undefined {
  return MOVES[state];
}

export function whyNotMove(state: OrderState): string | null {
  if (MOVES[state] !== undefined) return null;
  if (state === 'NEW') return 'The restaurant has not approved the order yet.';
  if (state === 'ON_DELIVERY') return 'The courier already has the food.';
  return `The order is ${state}.`;
}

export function whyNotLock(state: OrderState): string | null {
  if (state === 'ON_DELIVERY') return 'The courier already has the food.';
  return isFinal(state) ? `The order is ${state}.` : null;
}
