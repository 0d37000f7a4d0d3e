// Shown while there are no stops: off duty, or waiting for an offer.
import { Bike, CircleCheck, MapPinOff } from 'lucide-react';
import { useSetDuty } from '../../../api/couriers/courier.ts';
import { Banner } from '../../../ui/banner.tsx';
import type { PositionState } from '../phone/position.ts';
import { chooseSound, useSoundChoice } from '../../../ui/sound.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { BigButton } from '../controls/big-button.tsx';
import { BottomPanel } from '../controls/bottom-panel.tsx';
import { useIsRested } from '../controls/settled-screen.ts';
import { SoundNotice } from './sound-notice.tsx';

interface DutyViewProps {
  isOffline: boolean;
}

export function OffDutyView({ name, isOffline }: DutyViewProps & { name: string }) {
  const duty = useSetDuty();
  const sound = useSoundChoice();
  const begin = (): void => {
    // The tap that starts the shift also satisfies the browser's requirement for playing sound.
    if (sound === 'unasked') chooseSound('on');
    duty.mutate(true);
  };
  return (
    <>
      <div className="flex flex-1 flex-col justify-center gap-5 px-5 py-8">
        <Bike aria-hidden className="size-14" strokeWidth={1.75} />
        <h1 className="text-4xl leading-tight font-bold tracking-tight text-balance">
          {courierTexts.offDutyTitle(name)}
        </h1>
        <p className="text-xl">{courierTexts.offDutyText}</p>
        <p className="text-lg text-ink-soft">{courierTexts.positionWhy}</p>
      </div>
      <BottomPanel>
        {duty.isError && <Banner tone="danger">{courierTexts.dutyFailed}</Banner>}
        <BigButton
          look="primary"
          isHuge
          isBusy={duty.isPending}
          disabledReason={isOffline ? courierTexts.dutyNeedsConnection : null}
          onClick={begin}
        >
          {courierTexts.goOnDuty}
        </BigButton>
      </BottomPanel>
    </>
  );
}

export interface WaitingViewProps extends DutyViewProps {
  /** The courier stays on duty until they end it, but gets no more offers. */
  isShiftOver: boolean;
  position: PositionState;
  /** The order just delivered. */
  deliveredNumber: string | undefined;
}

export function WaitingView({ isOffline, isShiftOver, position, deliveredNumber }: WaitingViewProps) {
  const duty = useSetDuty();
  // Its button is where an offer's or the last step's button was a moment ago.
  const isRested = useIsRested('waiting');
  return (
    <>
      <div className="flex flex-1 flex-col justify-center gap-5 px-5 py-8">
        {deliveredNumber !== undefined && (
          <div role="status" className="flex items-center gap-4 rounded-xl border-2 border-good p-4 text-good">
            <CircleCheck aria-hidden className="size-12 shrink-0" />
            <div>
              <p className="text-2xl font-bold">{courierTexts.deliveredTitle}</p>
              <p className="text-lg text-ink">{courierTexts.deliveredText(deliveredNumber)}</p>
            </div>
          </div>
        )}
        <h1 className="text-4xl leading-tight font-bold tracking-tight text-balance">
          {isShiftOver ? courierTexts.shiftOverTitle : courierTexts.waitingTitle}
        </h1>
        <p className="text-xl">{isShiftOver ? courierTexts.shiftOverText : courierTexts.waitingText}</p>
        {!isShiftOver && <SoundNotice />}
        <PositionNotice state={position} />
      </div>
      <BottomPanel>
        {duty.isError && <Banner tone="danger">{courierTexts.dutyFailed}</Banner>}
        <BigButton
          isHuge
          isBusy={!isRested || duty.isPending}
          disabledReason={isOffline ? courierTexts.dutyNeedsConnection : null}
          onClick={() => duty.mutate(false)}
        >
          {courierTexts.goOffDuty}
        </BigButton>
      </BottomPanel>
    </>
  );
}

export function PositionNotice({ state }: { state: PositionState }) {
  if (state !== 'refused' && state !== 'missing') return null;
  const isRefused = state === 'refused';
  return (
    <div role="status" className="flex gap-4 rounded-xl border-2 border-line-strong p-4">
      <MapPinOff aria-hidden className="size-8 shrink-0" />
      <div>
        <p className="text-lg font-bold">{isRefused ? courierTexts.positionRefused : courierTexts.positionMissing}</p>
        <p className="text-lg">{isRefused ? courierTexts.positionRefusedHint : courierTexts.positionMissingHint}</p>
      </div>
    </div>
  );
}
