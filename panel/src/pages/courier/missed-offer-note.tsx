import { BellOff } from 'lucide-react';
import { formatZoned } from '../../components/time-words.ts';
import { useRestaurantZone } from '../../components/zone.ts';
import type { MissedOffer } from '../../courier/missed-offer.ts';
import { courierTexts } from '../../texts/courier.ts';
import { BigButton } from './big-button.tsx';

/** Stays until it was read, because it tells of a moment in which nobody looked. */
export function MissedOfferNote({ missed, dismiss }: MissedOffer) {
  const timeZone = useRestaurantZone();
  if (missed === undefined) return null;
  const time = formatZoned(Date.parse(missed.expiresAt), timeZone, 'time');
  return (
    <section role="status" className="border-b-2 border-warn text-warn tint">
      <div className="mx-auto flex max-w-xl flex-col gap-3 px-4 py-3">
        <div className="flex gap-4">
          <BellOff aria-hidden className="size-7 shrink-0" />
          <div className="text-ink">
            <h2 className="text-lg font-bold">{courierTexts.offerMissed}</h2>
            <p className="text-lg">{courierTexts.offerMissedText(missed.restaurant, time)}</p>
          </div>
        </div>
        <BigButton onClick={dismiss}>{courierTexts.understood}</BigButton>
      </div>
    </section>
  );
}
