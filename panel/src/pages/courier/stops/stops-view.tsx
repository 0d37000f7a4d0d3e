// The courier's stops: the current one large, with the map and the others below or beside it.
import { CircleX, TriangleAlert } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { CourierStop } from '../../../../../src/contract/panel/couriers/courier-page.ts';
import type { ActKind } from '../../../../../src/domain/couriers/courier.ts';
import type { KnownWork } from '../../../api/couriers/courier.ts';
import { useMedia } from '../../../ui/media.ts';
import { showToast } from '../../../ui/toast.tsx';
import type { Acts } from '../../../api/couriers/outbox.ts';
import type { Position } from '../phone/position.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { BeginAtTop } from '../controls/scroll-to-top.tsx';
import { BigButton } from '../controls/big-button.tsx';
import { BottomPanel } from '../controls/bottom-panel.tsx';
import { CancelOrderDialog } from './cancel-order-dialog.tsx';
import { PositionNotice } from '../duty/duty-views.tsx';
import { NextAct } from './next-action.tsx';
import { ProblemDialog } from './problem-dialog.tsx';
import { SoundAsleepLine } from '../duty/sound-notice.tsx';
import { DropoffFacts, PickupFacts } from './facts.tsx';
import { StopHeader } from './header.tsx';
import { StopList } from './list.tsx';

const StopsMap = lazy(async () => ({ default: (await import('./stops-map.tsx')).StopsMap }));

export interface StopsViewProps {
  work: KnownWork;
  /** With pending actions applied. */
  stops: readonly CourierStop[];
  first: CourierStop;
  acts: Acts;
  isOffline: boolean;
  /** Hidden by an offer, which takes priority. */
  isCovered: boolean;
  position: Position;
  onDelivered: (orderNumber: string) => void;
}

/** Keeps the stop for which it was opened: another stop may be first by the time the courier confirms. */
interface OpenDialog {
  about: 'problem' | 'cancel';
  stop: CourierStop;
}

export function StopsView({ work, stops, first, acts, isOffline, isCovered, position, onDelivered }: StopsViewProps) {
  const [chosen, setChosen] = useState('');
  const [dialog, setDialog] = useState<OpenDialog>();
  const stop = stops.find((one) => keyOf(one) === chosen) ?? first;
  const isWide = useMedia('(min-width: 1024px)');
  const close = (): void => setDialog(undefined);
  const isWithCourier = stops.some(({ orderId }) => orderId === dialog?.stop.orderId);
  // The order is gone, so there is nothing left to cancel; a notice above the stops explains what happened.
  if (dialog?.about === 'cancel' && !isWithCourier) close();
  const act = async ({ orderId, orderNumber }: CourierStop, kind: ActKind, detail: string | null): Promise<void> => {
    const now = Date.now() + work.clockOffsetMs;
    try {
      await acts.queue.add({ id: crypto.randomUUID(), orderId, orderNumber, kind, detail }, now);
      if (kind === 'delivered') onDelivered(orderNumber);
      if (kind === 'problem') showToast(courierTexts.problemSent);
    } catch {
      showToast(courierTexts.notSaved, 'danger');
    }
  };
  const key = keyOf(stop);
  const map = (
    <Suspense>
      <StopsMap stops={stops} shown={stop} position={position.place} isInPage={!isWide} />
    </Suspense>
  );
  const isSending = acts.waiting.some(({ orderId }) => orderId === dialog?.stop.orderId);
  const cancelReason = isSending ? courierTexts.sendsFirst : null;
  return (
    <div className="flex flex-1 flex-col lg:grid lg:grid-cols-[30rem_1fr]">
      <BeginAtTop key={key} />
      <div className="flex flex-1 flex-col lg:border-r-2">
        <div className="flex flex-1 flex-col gap-6 px-5 py-5">
          {!work.courier.onDuty && <p className="text-lg font-semibold">{courierTexts.offDutyWithStops}</p>}
          <StopHeader
            stop={stop}
            place={stops.indexOf(stop) + 1}
            count={stops.length}
            clockOffsetMs={work.clockOffsetMs}
          />
          {stop.kind === 'pickup' ? <PickupFacts stop={stop} key={key} /> : <DropoffFacts stop={stop} />}
          {!isWide && <div className="h-72 overflow-hidden rounded-xl border-2">{map}</div>}
          {stops.length > 1 && <StopList stops={stops} shown={stop} onShow={(one) => setChosen(keyOf(one))} />}
          <PositionNotice state={position.state} />
          <div className="flex flex-col gap-3">
            <BigButton
              icon={<TriangleAlert aria-hidden className="size-6" />}
              onClick={() => setDialog({ about: 'problem', stop })}
            >
              {courierTexts.problem}
            </BigButton>
            <BigButton
              look="danger"
              icon={<CircleX aria-hidden className="size-6" />}
              onClick={() => setDialog({ about: 'cancel', stop })}
            >
              {courierTexts.cancel}
            </BigButton>
          </div>
        </div>
        <BottomPanel>
          {work.courier.onDuty && <SoundAsleepLine />}
          <NextAct
            stop={stop}
            isOffline={isOffline}
            isCovered={isCovered}
            onAct={() => act(stop, stop.nextAct, null)}
          />
        </BottomPanel>
      </div>
      {isWide && <div className="sticky top-0 h-[calc(100dvh-4.5rem)]">{map}</div>}
      {dialog?.about === 'problem' && (
        <ProblemDialog
          stop={dialog.stop}
          isOpen={!isCovered}
          isWithCourier={isWithCourier}
          onClose={close}
          onReport={(detail) => {
            close();
            void act(dialog.stop, 'problem', detail);
          }}
        />
      )}
      {dialog?.about === 'cancel' && (
        <CancelOrderDialog
          stop={dialog.stop}
          isOpen={!isCovered}
          disabledReason={isOffline ? courierTexts.needsConnection : cancelReason}
          onClose={close}
        />
      )}
    </div>
  );
}

function keyOf({ orderId, kind }: CourierStop): string {
  return `${orderId} ${kind}`;
}
