import type { CourierStop } from '../../../../../src/contract/panel/couriers/courier-page.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';

/** Whom or what to look for there. */
export function nameOfStop({
  kind,
  restaurant,
  place,
  customer,
}: Pick<CourierStop, 'kind' | 'restaurant' | 'place' | 'customer'>): string {
  if (kind === 'pickup') return place.name ?? restaurant;
  return customer?.name ?? place.name ?? courierTexts.customer;
}
