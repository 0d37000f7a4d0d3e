// What makes a courier look at the phone, and lets them: tone and vibration for an offer, a screen that stays on.
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

/** Not on every phone, and nowhere before the first touch. */
export function shake(): void {
  if ('vibrate' in navigator && navigator.userActivation.hasBeenActive) navigator.vibrate(SHAKE);
}

/** A screen that goes dark on the handlebar is of no use. The browser lets go of it whenever the page is hidden. */
export function useScreenOn(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded || !('wakeLock' in navigator)) return;
    let held: Promise<WakeLockSentinel | undefined> = Promise.resolve(undefined);
    const hold = (): void => {
      // Refused when the battery is low, which is the phone's to decide.
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
