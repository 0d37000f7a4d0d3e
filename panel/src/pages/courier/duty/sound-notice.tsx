// Warns that the phone would not ring, and how to fix it.
import { Volume2, VolumeX } from 'lucide-react';
import { chooseSound, useIsSoundAsleep, useSoundChoice } from '../../../ui/sound.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { BigButton } from '../controls/big-button.tsx';

export function SoundNotice() {
  const isOff = useSoundChoice() !== 'on';
  const isAsleep = useIsSoundAsleep();
  if (!isOff && !isAsleep) return null;
  return (
    <div role="status" className="flex flex-col gap-3 rounded-xl border-2 border-warn p-4">
      <div className="flex gap-4">
        <VolumeX aria-hidden className="size-8 shrink-0" />
        <div>
          <p className="text-lg font-bold text-balance">{isOff ? courierTexts.soundOff : courierTexts.soundAsleep}</p>
          {!isOff && <p className="text-lg">{courierTexts.soundAsleepText}</p>}
        </div>
      </div>
      {isOff && (
        <BigButton icon={<Volume2 aria-hidden className="size-6" />} onClick={() => chooseSound('on')}>
          {courierTexts.soundOn}
        </BigButton>
      )}
    </div>
  );
}

/** The one-line form, for screens with other content. */
export function SoundAsleepLine() {
  if (!useIsSoundAsleep()) return null;
  return (
    <p role="status" className="flex items-center justify-center gap-2 text-center text-lg font-medium">
      <VolumeX aria-hidden className="size-6 shrink-0" />
      {courierTexts.soundAsleep}
    </p>
  );
}
