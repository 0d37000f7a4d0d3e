// The stops with all pending actions applied, so that the courier sees each action immediately, even offline.
import type { CourierStop } from '../../../../src/contract/panel/couriers/courier-page.ts';
import type { QueuedAct } from './action-list.ts';

type Act = Pick<QueuedAct, 'orderId' | 'kind'>;

/** Idempotent: an action already reflected in the stops changes nothing. */
export function withActs(stops: readonly CourierStop[], acts: readonly Act[]): readonly CourierStop[] {
  return acts.reduce(withAct, stops);
}

function withAct(stops: readonly CourierStop[], { orderId, kind }: Act): readonly CourierStop[] {
  const isOf = (stop: CourierStop, place: CourierStop['kind']): boolean =>
    stop.orderId === orderId && stop.kind === place;
  switch (kind) {
    case 'problem':
      return stops;
    case 'arrived':
      return stops.map((stop) => (isOf(stop, 'pickup') ? { ...stop, nextAct: 'picked_up' } : stop));
    case 'arrived_dropoff':
      return stops.map((stop) => (isOf(stop, 'dropoff') ? { ...stop, nextAct: 'delivered' } : stop));
    case 'picked_up':
      return stops
        .filter((stop) => !isOf(stop, 'pickup'))
        .map((stop) => (isOf(stop, 'dropoff') ? { ...stop, disabledReason: null } : stop));
    case 'delivered':
      return stops.filter((stop) => !isOf(stop, 'dropoff'));
  }
}
