import { formatCount } from '../../../../../src/domain/counts.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';

const KILOMETERS = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export function formatDistance(meters: number | null): string {
  if (meters === null) return courierTexts.distanceUnknown;
  if (meters < 950) return courierTexts.meters(formatCount(Math.round(meters / 50) * 50));
  return courierTexts.kilometers(KILOMETERS.format(meters / 1000));
}
