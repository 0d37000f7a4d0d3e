// Why a courier can't do something with an order. The page's disabled buttons and the service's refusals share these
// texts.
import type { ActKind } from '../couriers/courier.ts';
import type { OrderState } from './order.ts';

/** An order from one courier's point of view. */
export interface OrderOfCourier {
  state: OrderState;
  /** Whether this courier has it, or had it when it finished. */
  isTheirs: boolean;
  isAccepted: boolean;
}

/** Null if the action is possible. Whether an offer has expired is checked elsewhere, against the clock. */
export function whyCourierCannot(
  order: OrderOfCourier,
  wish: ActKind | 'accept' | 'decline' | 'cancel',
): string | null {
  if (order.state === 'CANCELED') return 'The order was canceled';
  if (!order.isTheirs) return 'The order is no longer assigned to you';
  if (order.state === 'DELIVERED') return 'The order was already delivered';
  if (wish === 'accept') return null;
  if (wish === 'cancel') return order.isAccepted ? null : "You can decline the offer, but you can't cancel the order";
  if (wish === 'decline') return order.isAccepted ? 'You already accepted the order' : null;
  return order.isAccepted ? whyNotYet(order.state, wish) : 'Accept the order first';
}

function whyNotYet(state: OrderState, act: ActKind): string | null {
  const isPickedUp = state === 'ON_DELIVERY';
  switch (act) {
    case 'arrived':
      return isPickedUp ? 'You already picked up the order' : null;
    case 'picked_up':
      return isPickedUp || state === 'PREPARED' ? null : "The food isn't ready yet";
    case 'arrived_dropoff':
    case 'delivered':
      return isPickedUp ? null : 'Pick up the order first';
    case 'problem':
      return null;
  }
}
