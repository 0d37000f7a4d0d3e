import type { CourierStop } from '../../../../../src/contract/panel/couriers/courier-page.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';

/** The person or place to look for at the stop. */
export function nameOfStop({
  kind,
  restaurant,
  place,
  customer,
}: Pick<CourierStop, 'kind' | 'restaurant' | 'place' | 'customer'>): string {
  if (kind === 'pickup') return place.name ?? restaurant;
  return customer?.name ?? place.name ?? courierTexts.customer;
}
