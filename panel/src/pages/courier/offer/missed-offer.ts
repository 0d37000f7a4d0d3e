// An offer that was not answered in time: whoever had the phone in a pocket should know what it rang for.
import { useEffect, useRef, useState } from 'react';
import type { CourierOffer, CourierStop } from '../../../../../src/contract/panel/couriers/courier-page.ts';

interface MissedOfferContext {
  stops: readonly CourierStop[];
  now: number;
  /** Whether an answer was given here, wherever it is by now. */
  isAnswered: (offer: CourierOffer) => boolean;
}

export interface MissedOffer {
  missed: CourierOffer | undefined;
  dismiss: () => void;
}

/** The last one, until it was read or there is another offer. */
export function useMissedOffer(
  offer: CourierOffer | undefined,
  { stops, now, isAnswered }: MissedOfferContext,
): MissedOffer {
  const [missed, setMissed] = useState<CourierOffer>();
  const last = useRef<CourierOffer>(undefined);
  useEffect(() => {
    const before = last.current;
    last.current = offer;
    if (offer !== undefined) setMissed(undefined);
    else if (before !== undefined && !isAnswered(before) && isMissed(before, { stops, now })) setMissed(before);
  }, [offer, stops, now, isAnswered]);
  return { missed, dismiss: () => setMissed(undefined) };
}

/** Of an offer that is there no more: it was neither declined before its time was over nor accepted. */
export function isMissed(
  { orderId, expiresAt }: Pick<CourierOffer, 'orderId' | 'expiresAt'>,
  { stops, now }: { stops: readonly Pick<CourierStop, 'orderId'>[]; now: number },
): boolean {
  return Date.parse(expiresAt) <= now && !stops.some((stop) => stop.orderId === orderId);
}
