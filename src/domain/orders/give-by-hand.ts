// Whether a person may give an order to a courier or lock it to one: the same rule for the restaurant's panel, the
// operator's console, their list of candidates and the command line. The planner has its own rules, which people may
// override.
import { servesRestaurant } from '../couriers/courier.ts';
import type { Instant } from '../time.ts';
import { isWithCourier } from './offer-time.ts';
import { isFinal, type Order, type OrderState } from './order.ts';

export type GivingBar = 'OTHER_RESTAURANT' | 'HAS_IT' | 'OFF_DUTY' | 'STATE';

type OrderToGive = Pick<Order, 'state' | 'courierId' | 'courierOfferedAt' | 'courierAcceptedAt'> & {
  restaurantId: string;
};

interface ChosenCourier {
  id: string;
  restaurantId: string | null;
  onDuty: boolean;
}

/** Null if the order may be given to the courier. */
export function whyNotGiveByHand(order: OrderToGive, courier: ChosenCourier, now: Instant): GivingBar | null {
  if (!servesRestaurant(courier, order.restaurantId)) return 'OTHER_RESTAURANT';
  if (isWithCourier(order, courier.id, now)) return 'HAS_IT';
  if (!courier.onDuty) return 'OFF_DUTY';
  return whyNotMove(order.state) === null ? null : 'STATE';
}

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
  if (state === 'NEW') return 'The restaurant has not approved the order yet';
  if (state === 'ON_DELIVERY') return 'The courier already has the food';
  return `The order is ${state}`;
}

export function whyNotLock(state: OrderState): string | null {
  if (state === 'ON_DELIVERY') return 'The courier already has the food';
  return isFinal(state) ? `The order is ${state}` : null;
}
