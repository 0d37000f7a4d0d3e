// An offer, which expires after a minute: all facts on one screen, the answer within reach of the thumb.
import { lazy, Suspense, useMemo, useState } from 'react';
import type { CourierOffer } from '../../../../../src/contract/panel/couriers/courier-page.ts';
import { OFFER_LIMIT_MS } from '../../../../../src/domain/couriers/courier.ts';
import type { Place } from '../../../../../src/domain/geo.ts';
import { useNow } from '../../../ui/time/now.ts';
import { formatZoned } from '../../../ui/time/time-words.ts';
import { useRestaurantZone } from '../../../ui/time/zone.ts';
import { describeAddress } from '../stops/directions.ts';
import type { OfferAnswers } from './offer-answers.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { formatMoney } from '../../../parts/orders/money.ts';
import { BigButton } from '../controls/big-button.tsx';
import { DeclineDialog } from './decline-dialog.tsx';
import { formatDistance } from '../stops/distance.ts';
import { useIsRested } from '../controls/settled-screen.ts';

const StopsMap = lazy(async () => ({ default: (await import('../stops/stops-map.tsx')).StopsMap }));

export interface OfferScreenProps {
  offer: CourierOffer;
  answers: OfferAnswers;
  count: number;
  clockOffsetMs: number;
  position: Place | undefined;
}

export function OfferScreen({ offer, answers, count, clockOffsetMs, position }: OfferScreenProps) {
  const leftMs = Math.max(0, Date.parse(offer.expiresAt) - clockOffsetMs - useNow());
  const [isDeclining, setIsDeclining] = useState(false);
  // It replaces the previous screen, perhaps just as the courier taps there.
  const isRested = useIsRested(offer.orderId);
  const isBusy = !isRested || answers.isAnswering(offer);
  const isOver = leftMs === 0;
  return (
    <section aria-labelledby="offer-title" className="flex min-h-dvh flex-col bg-surface">
      <div className="mx-auto flex w-full max-w-xl flex-1 flex-col gap-6 p-5">
        <header className="flex items-center justify-between gap-4">
          <div>
            <h1 id="offer-title" className="text-2xl font-bold tracking-tight">
              {courierTexts.offerTitle}
            </h1>
            {count > 1 && <p className="text-lg text-ink-soft">{courierTexts.offerOf(count)}</p>}
          </div>
          <Countdown leftMs={leftMs} />
        </header>
        <OfferRoute offer={offer} />
        <OfferFigures offer={offer} />
        <OfferMap offer={offer} position={position} />
      </div>
      <footer className="sticky bottom-0 border-t-2 bg-surface p-4 pb-[max(1rem,env(safe-area-inset-bottom))]">
        <div className="mx-auto flex max-w-xl flex-col gap-3">
          {isOver && (
            <p role="status" className="text-center text-lg font-medium">
              {courierTexts.offerGone}
            </p>
          )}
          <div className="flex gap-3">
            <BigButton isHuge isBusy={isBusy} className="flex-none basis-1/3" onClick={() => setIsDeclining(true)}>
              {courierTexts.decline}
            </BigButton>
            <BigButton look="primary" isHuge isBusy={isBusy} onClick={() => answers.accept(offer)}>
              {courierTexts.accept}
            </BigButton>
          </div>
        </div>
      </footer>
      <DeclineDialog
        isOpen={isDeclining}
        onDecline={(reason) => {
          setIsDeclining(false);
          answers.decline(offer, reason);
        }}
        onClose={() => setIsDeclining(false)}
      />
    </section>
  );
}

function OfferRoute({ offer }: { offer: CourierOffer }) {
  const [street] = describeAddress(offer.pickup.address).street;
  return (
    <div>
      <p className="text-4xl leading-tight font-bold tracking-tight text-balance">{offer.restaurant}</p>
      {street !== undefined && <p className="mt-1 text-lg text-ink">{street}</p>}
      {offer.dropoff.district !== null && (
        <p className="mt-3 text-2xl font-semibold">{courierTexts.toDistrict(offer.dropoff.district)}</p>
      )}
    </div>
  );
}

/** Rough positions of pickup and drop-off. Answering does not wait for the map. */
function OfferMap({ offer, position }: { offer: CourierOffer; position: Place | undefined }) {
  const { restaurant, pickup, dropoff } = offer;
  const stops = useMemo(
    () => [
      { kind: 'pickup' as const, restaurant, place: pickup, customer: null },
      { kind: 'dropoff' as const, restaurant, place: { location: dropoff.location ?? undefined }, customer: null },
    ],
    [restaurant, pickup, dropoff.location],
  );
  if (pickup.location === undefined && dropoff.location === null) return null;
  return (
    <div className="relative min-h-48 flex-1 overflow-hidden rounded-xl border-2">
      <div className="absolute inset-0">
        <Suspense>
          <StopsMap stops={stops} shown={undefined} position={position} isInPage />
        </Suspense>
      </div>
    </div>
  );
}

function OfferFigures({ offer }: { offer: CourierOffer }) {
  const timeZone = useRestaurantZone();
  const { pay, distanceMeters, pickupAt, dropoffAt, bags } = offer;
  const time = (at: string): string => formatZoned(Date.parse(at), timeZone, 'time');
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-xl border-2 border-ink bg-line">
      <Figure
        label={courierTexts.pay}
        value={pay === null ? courierTexts.payUnknown : formatMoney(pay.amount, pay.currency)}
      />
      <Figure label={courierTexts.distance} value={formatDistance(distanceMeters)} note={courierTexts.bags(bags)} />
      {pickupAt !== null && <Figure label={courierTexts.pickupBy} value={time(pickupAt)} />}
      {dropoffAt !== null && <Figure label={courierTexts.dropoffBy} value={time(dropoffAt)} />}
    </dl>
  );
}

function Figure({ label, value, note }: { label: string; value: string; note?: string }) {
  return (
    <div className="bg-surface p-4">
      <dt className="text-lg font-medium text-ink-soft">{label}</dt>
      <dd className="text-3xl leading-tight font-bold tracking-tight tabular">
        {value}
        {note !== undefined && <span className="block text-lg font-medium">{note}</span>}
      </dd>
    </div>
  );
}

const RADIUS = 30;
const ROUND = 2 * Math.PI * RADIUS;
const URGENT_MS = 15_000;

function Countdown({ leftMs }: { leftMs: number }) {
  const seconds = Math.ceil(leftMs / 1000);
  const part = Math.min(1, leftMs / OFFER_LIMIT_MS);
  return (
    <div
      role="timer"
      aria-label={courierTexts.secondsLeft(seconds)}
      className={leftMs <= URGENT_MS ? 'text-danger' : 'text-ink'}
    >
      <div className="relative grid size-18 place-items-center">
        <svg aria-hidden viewBox="0 0 72 72" className="absolute inset-0 -rotate-90">
          <circle cx="36" cy="36" r={RADIUS} fill="none" strokeWidth="7" className="stroke-line" />
          <circle
            cx="36"
            cy="36"
            r={RADIUS}
            fill="none"
            strokeWidth="7"
            stroke="currentColor"
            strokeDasharray={ROUND}
            strokeDashoffset={ROUND * (1 - part)}
          />
        </svg>
        <span aria-hidden className="text-2xl font-bold tabular">
          {seconds}
        </span>
      </div>
    </div>
  );
}
