// The one big button: what the courier says next about the stop that is shown.
import { useEffect, useState } from 'react';
import type { CourierStop } from '../../../../src/contract/panel/courier.ts';
import { courierTexts } from '../../texts/courier.ts';
import { BigButton } from './big-button.tsx';
import { nameNextAct } from './next-act-words.ts';

/** A second touch within this time was meant for the step before. */
const PAUSE_MS = 700;

export interface NextActProps {
  stop: CourierStop;
  isOffline: boolean;
  onAct: () => Promise<void>;
}

export function NextAct({ stop, isOffline, onAct }: NextActProps) {
  const step = `${stop.orderId} ${stop.nextAct}`;
  const [restedStep, setRestedStep] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setRestedStep(step), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [step]);
  // Whether the kitchen is ready cannot be known without a connection, and the bag may be in the courier's hand.
  const mayBeReady = isOffline && stop.nextAct === 'picked_up' && stop.disabledReason !== null;
  const reason = mayBeReady ? null : stop.disabledReason;
  return (
    <>
      {isOffline && (
        <p className="text-center text-lg font-medium">
          {mayBeReady ? courierTexts.checkedWhenSent : courierTexts.keptForLater}
        </p>
      )}
      <BigButton
        look="primary"
        isHuge
        isBusy={reason === null && restedStep !== step}
        disabledReason={reason}
        onClick={() => void onAct()}
      >
        {nameNextAct(stop)}
      </BigButton>
    </>
  );
}
