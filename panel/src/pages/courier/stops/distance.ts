import { courierTexts } from '../../../texts/couriers/courier.ts';

const METERS = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });
const KILOMETERS = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export function formatDistance(meters: number | null): string {
  if (meters === null) return courierTexts.distanceUnknown;
  if (meters < 950) return courierTexts.meters(METERS.format(Math.round(meters / 50) * 50));
  return courierTexts.kilometers(KILOMETERS.format(meters / 1000));
}
