// The main button: the next action at the stop that is shown.
import type { CourierStop } from '../../../../../src/contract/panel/couriers/courier-page.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { BigButton } from '../controls/big-button.tsx';
import { nameNextAct } from './next-action-words.ts';
import { useIsRested } from '../controls/settled-screen.ts';

export interface NextActProps {
  stop: CourierStop;
  isOffline: boolean;
  isCovered: boolean;
  onAct: () => Promise<void>;
}

export function NextAct({ stop, isOffline, isCovered, onAct }: NextActProps) {
  const isRested = useIsRested(isCovered ? '' : `${stop.orderId} ${stop.nextAct}`);
  // Offline, the kitchen's state is unknown, and the courier may already hold the bag.
  const mayBeReady = isOffline && stop.nextAct === 'picked_up' && stop.disabledReason !== null;
  const reason = mayBeReady ? null : stop.disabledReason;
  return (
    <>
      {isOffline && (
        <p className="text-center text-lg font-medium">
          {mayBeReady ? courierTexts.checkedWhenSent : courierTexts.savedForLater}
        </p>
      )}
      <BigButton
        look="primary"
        isHuge
        isBusy={reason === null && !isRested}
        disabledReason={reason}
        onClick={() => void onAct()}
      >
        {nameNextAct(stop)}
      </BigButton>
    </>
  );
}
