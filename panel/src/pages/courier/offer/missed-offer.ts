// Shows an offer that expired unanswered, so that a courier with the phone in a pocket knows why it rang.
import { useEffect, useRef, useState } from 'react';
import type { CourierOffer, CourierStop } from '../../../../../src/contract/panel/couriers/courier-page.ts';

interface MissedOfferContext {
  stops: readonly CourierStop[];
  now: number;
  /** Whether the courier answered on this page, even if the answer is still being sent. */
  isAnswered: (offer: CourierOffer) => boolean;
}

export interface MissedOffer {
  missed: CourierOffer | undefined;
  dismiss: () => void;
}

/** The last missed offer, until it is dismissed or another offer arrives. */
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

/** For an offer that is gone: it expired without being declined or accepted. */
export function isMissed(
  { orderId, expiresAt }: Pick<CourierOffer, 'orderId' | 'expiresAt'>,
  { stops, now }: { stops: readonly Pick<CourierStop, 'orderId'>[]; now: number },
): boolean {
  return Date.parse(expiresAt) <= now && !stops.some((stop) => stop.orderId === orderId);
}
