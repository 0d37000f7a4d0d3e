// Why a courier cannot do something with an order, in a courier's words: what the page disables and what the service
// refuses say the same.
import type { ActKind } from '../couriers/courier.ts';
import type { OrderState } from './order.ts';

/** An order as it stands to one courier. */
export interface OrderOfCourier {
  state: OrderState;
  /** Whether it is with this courier, or was until its end. */
  isTheirs: boolean;
  isAccepted: boolean;
}

/** Null: nothing stands against it. Whether an offer is over is for the clock to say, not for this. */
export function whyCourierCannot(
  order: OrderOfCourier,
  wish: ActKind | 'accept' | 'decline' | 'cancel',
): string | null {
  if (order.state === 'CANCELED') return 'The order was canceled';
  if (!order.isTheirs) return 'The order is not with you any more';
  if (order.state === 'DELIVERED') return 'The order was delivered already';
  if (wish === 'accept') return null;
  if (wish === 'cancel') return order.isAccepted ? null : 'You can decline this offer, but not cancel the order';
  if (wish === 'decline') return order.isAccepted ? 'You have accepted the order already' : null;
  return order.isAccepted ? whyNotYet(order.state, wish) : 'Accept the order first';
}

function whyNotYet(state: OrderState, act: ActKind): string | null {
  const isPickedUp = state === 'ON_DELIVERY';
  switch (act) {
    case 'arrived':
      return isPickedUp ? 'You have picked it up already' : null;
    case 'picked_up':
      return isPickedUp || state === 'PREPARED' ? null : 'The kitchen is not ready yet';
    case 'arrived_dropoff':
    case 'delivered':
      return isPickedUp ? null : 'Pick it up first';
    case 'problem':
      return null;
  }
}
