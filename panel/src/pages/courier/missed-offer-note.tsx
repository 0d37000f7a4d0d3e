import { BellOff } from 'lucide-react';
import { formatZoned } from '../../components/time-words.ts';
import { useRestaurantZone } from '../../components/zone.ts';
import type { MissedOffer } from '../../courier/missed-offer.ts';
import { courierTexts } from '../../texts/courier.ts';
import { Notice } from './notice.tsx';

export function MissedOfferNote({ missed, dismiss }: MissedOffer) {
  const timeZone = useRestaurantZone();
  if (missed === undefined) return null;
  const time = formatZoned(Date.parse(missed.expiresAt), timeZone, 'time');
  const text = courierTexts.offerMissedText(missed.restaurant, time);
  return <Notice tone="warn" Icon={BellOff} title={courierTexts.offerMissed} text={text} onRead={dismiss} />;
}
