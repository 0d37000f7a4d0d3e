import { BellOff } from 'lucide-react';
import { formatZoned } from '../../../ui/time/time-words.ts';
import { useRestaurantZone } from '../../../ui/time/zone.ts';
import type { MissedOffer } from './missed-offer.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { Notice } from '../controls/notice.tsx';

export function MissedOfferNote({ missed, dismiss }: MissedOffer) {
  const timeZone = useRestaurantZone();
  if (missed === undefined) return null;
  const time = formatZoned(Date.parse(missed.expiresAt), timeZone, 'time');
  const text = courierTexts.offerMissedText(missed.restaurant, time);
  return <Notice tone="warn" Icon={BellOff} title={courierTexts.offerMissed} text={text} onRead={dismiss} />;
}
