import { Volume2, VolumeX } from 'lucide-react';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { chooseSound, useSoundChoice } from '../../../ui/sound.ts';
import { orderTexts } from '../../../texts/orders/orders.ts';

/** Asked once; the answer is stored on this device. */
export function SoundQuestion() {
  if (useSoundChoice() !== 'unasked') return null;
  return (
    <Banner
      tone="info"
      title={orderTexts.soundQuestion}
      actions={
        <>
          <Button size="small" look="quiet" onClick={() => chooseSound('off')}>
            {orderTexts.noSound}
          </Button>
          <Button size="small" look="primary" onClick={() => chooseSound('on')}>
            {orderTexts.turnSoundOn}
          </Button>
        </>
      }
    >
      {orderTexts.soundText}
    </Banner>
  );
}

export function SoundSwitch() {
  const isOn = useSoundChoice() === 'on';
  const Icon = isOn ? Volume2 : VolumeX;
  return (
    <Button
      size="icon"
      aria-pressed={isOn}
      aria-label={isOn ? orderTexts.turnSoundOff : orderTexts.turnSoundOn}
      title={isOn ? orderTexts.soundOn : orderTexts.soundOff}
      className="max-md:ml-auto"
      icon={<Icon aria-hidden className="size-4" />}
      onClick={() => chooseSound(isOn ? 'off' : 'on')}
    />
  );
}
