// Gets the courier's attention: tone and vibration for an offer, and a screen that stays on.
import { useEffect } from 'react';
import { keepSoundAwake, playTone } from '../../../ui/sound.ts';

const RING_EVERY_MS = 3_000;
const SHAKE = [300, 120, 300];

/** Rings until the offer is answered or gone. */
export function useOfferAlarm(orderId: string | undefined): void {
  useEffect(keepSoundAwake, []);
  useEffect(() => {
    if (orderId === undefined) return;
    const ring = (): void => {
      playTone('reminder');
      shake();
    };
    ring();
    const timer = setInterval(ring, RING_EVERY_MS);
    return () => clearInterval(timer);
  }, [orderId]);
}

/** Not supported on every phone, and never before the first tap. */
export function shake(): void {
  if ('vibrate' in navigator && navigator.userActivation.hasBeenActive) navigator.vibrate(SHAKE);
}

/** Keeps the screen on for phones on a handlebar. The browser releases the lock whenever the page is hidden. */
export function useScreenOn(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded || !('wakeLock' in navigator)) return;
    let held: Promise<WakeLockSentinel | undefined> = Promise.resolve(undefined);
    const hold = (): void => {
      // Refused when the battery is low, which the phone decides.
      if (document.visibilityState === 'visible') held = navigator.wakeLock.request('screen').catch(() => undefined);
    };
    hold();
    document.addEventListener('visibilitychange', hold);
    return () => {
      document.removeEventListener('visibilitychange', hold);
      void held.then((lock) => lock?.release());
    };
  }, [isNeeded]);
}
