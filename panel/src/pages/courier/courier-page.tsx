// The courier's page shows one thing at a time. An offer comes first, because it expires after a minute; then the
// stops; then waiting.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { workQuery, type KnownWork } from '../../api/couriers/courier.ts';
import { useSession } from '../../api/people/session.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { EmptyState } from '../../ui/content/empty-state.tsx';
import { useNow } from '../../ui/time/now.ts';
import { browserZone, ZoneContext } from '../../ui/time/zone.ts';
import { useActs, type Acts } from '../../api/couriers/outbox.ts';
import { useOfferAlarm, useScreenOn } from './phone/attention.ts';
import { useMissedOffer } from './offer/missed-offer.ts';
import { useOfferAnswers } from './offer/offer-answers.ts';
import { useOrderNews } from './updates/order-updates.ts';
import { usePosition, type Position } from './phone/position.ts';
import { registerWorker } from './phone/register-worker.ts';
import { withActs } from '../../api/couriers/work-with-actions.ts';
import { PagePending } from '../../shell/page-pending.tsx';
import { courierTexts } from '../../texts/couriers/courier.ts';
import { CourierHeader } from './courier-header.tsx';
import { CourierMenu } from './courier-menu.tsx';
import { OffDutyView, WaitingView } from './duty/duty-views.tsx';
import { QueuedActs } from './updates/unsent-actions.tsx';
import { MissedOfferNote } from './offer/missed-offer-note.tsx';
import { OfferScreen } from './offer/offer-screen.tsx';
import { OrderNotices } from './updates/order-notices.tsx';
import { StopsView } from './stops/stops-view.tsx';

export function CourierPage() {
  const { courierId, restaurant } = useSession();
  useEffect(registerWorker, []);
  const zone = restaurant?.timeZone ?? browserZone();
  return (
    <ZoneContext value={zone}>
      <title>{courierTexts.title}</title>
      {courierId === null ? (
        <EmptyState title={courierTexts.noCourier} isHeading>
          {courierTexts.noCourierHint}
        </EmptyState>
      ) : (
        <Duty courierId={courierId} />
      )}
    </ZoneContext>
  );
}

function Duty({ courierId }: { courierId: string }) {
  const { data, isPending, isError, error, refetch } = useQuery(workQuery);
  const acts = useActs(courierId);
  const isOffline = isError || data?.isKept === true;
  const { flush } = acts.queue;
  useEffect(() => {
    // Sends pending actions as soon as a response proves that there is a connection.
    if (!isOffline) void flush();
  }, [isOffline, flush]);
  const position = usePosition(data?.courier.onDuty ?? false);
  useScreenOn(data?.courier.onDuty ?? false);
  if (isPending) return <PagePending />;
  if (data === undefined) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return <Work work={data} acts={acts} isOffline={isOffline} position={position} />;
}

/** Hides expired offers, which can no longer be answered. The service withdraws them a moment after their time. */
const GRACE_MS = 2_000;

interface WorkProps {
  work: KnownWork;
  acts: Acts;
  isOffline: boolean;
  position: Position;
}

function Work({ work, acts, isOffline, position }: WorkProps) {
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const [delivered, setDelivered] = useState<string>();
  const stops = useMemo(() => withActs(work.stops, acts.waiting), [work.stops, acts.waiting]);
  const now = useNow() + work.clockOffsetMs;
  const offers = work.offers.filter((offer) => Date.parse(offer.expiresAt) + GRACE_MS > now);
  const [offer] = offers;
  // Offline, an offer cannot be answered, so ringing would only be a nuisance.
  const asked = isOffline ? undefined : offer;
  useOfferAlarm(asked?.orderId);
  const news = useOrderNews(work);
  const answers = useOfferAnswers();
  // `useNow` ticks in steps and may lag: an offer withdrawn in this response has expired by the response's own time.
  const overAt = Math.max(now, Date.parse(work.now));
  const missedOffer = useMissedOffer(offer, { stops: work.stops, now: overAt, isAnswered: answers.isAnswered });
  const isShiftOver = work.shiftEndsAt !== null && Date.parse(work.shiftEndsAt) <= now;
  // A delivery recorded offline may be refused once the service is reachable.
  const isRefused = acts.refused.some(({ orderNumber }) => orderNumber === delivered);
  if (isRefused) setDelivered(undefined);
  const isCovered = asked !== undefined;
  return (
    <>
      {asked !== undefined && (
        <main>
          <OfferScreen
            key={asked.orderId}
            offer={asked}
            answers={answers}
            count={offers.length}
            clockOffsetMs={work.clockOffsetMs}
            position={position.place}
          />
        </main>
      )}
      {/* Stays mounted behind the offer, so that ticks, choices and text survive it. */}
      <div hidden={isCovered} className="flex min-h-dvh flex-col bg-surface">
        <CourierHeader work={work} isShiftOver={isShiftOver} onOpenMenu={() => setIsMenuOpen(true)} />
        <OrderNotices news={news} stops={work.stops} />
        <MissedOfferNote {...missedOffer} />
        <QueuedActs acts={acts} isOffline={isOffline} />
        <main className="flex flex-1 flex-col">
          {stops[0] !== undefined ? (
            <StopsView
              work={work}
              stops={stops}
              first={stops[0]}
              acts={acts}
              isOffline={isOffline}
              isCovered={isCovered}
              position={position}
              onDelivered={setDelivered}
            />
          ) : (
            <div className="mx-auto flex w-full max-w-xl flex-1 flex-col">
              {work.courier.onDuty ? (
                <WaitingView
                  isOffline={isOffline}
                  isShiftOver={isShiftOver}
                  position={position.state}
                  deliveredNumber={delivered}
                />
              ) : (
                <OffDutyView name={work.courier.name} isOffline={isOffline} />
              )}
            </div>
          )}
        </main>
        <CourierMenu
          isOpen={isMenuOpen && !isCovered}
          courier={work.courier}
          isOffline={isOffline}
          waitingCount={acts.waiting.length}
          onClose={() => setIsMenuOpen(false)}
        />
      </div>
    </>
  );
}
