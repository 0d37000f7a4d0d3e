// The courier's position while on duty.
import { useEffect, useState } from 'react';
import { postPosition } from '../../../api/couriers/courier.ts';
import type { Place } from '../../../../../src/domain/geo.ts';
import { createPositionReporter } from './position-reporter.ts';

/** `refused`: denied by the courier or the device; `missing`: allowed, but not found (indoors, no signal). */
export type PositionState = 'off' | 'asking' | 'known' | 'refused' | 'missing';

export interface Position {
  state: PositionState;
  place: Place | undefined;
}

const OFF: Position = { state: 'off', place: undefined };

export function usePosition(isOnDuty: boolean): Position {
  const [position, setPosition] = useState<Position>(OFF);
  useEffect(() => {
    if (!isOnDuty) return;
    if (!('geolocation' in navigator)) {
      setPosition({ state: 'refused', place: undefined });
      return;
    }
    setPosition({ state: 'asking', place: undefined });
    const stop = watch(setPosition);
    return () => {
      stop();
      setPosition(OFF);
    };
  }, [isOnDuty]);
  return position;
}

/** For heartbeats while standing still; a position from the last minute is good enough. */
const LOOK: PositionOptions = { enableHighAccuracy: true, maximumAge: 60_000, timeout: 20_000 };

function watch(onChange: (position: Position) => void): () => void {
  let isOver = false;
  // The phone may respond after the shift has ended.
  const publish = (position: Position): void => {
    if (!isOver) onChange(position);
  };
  const find = ({ coords: { latitude, longitude } }: GeolocationPosition): Place => {
    const place = { latitude, longitude };
    publish({ state: 'known', place });
    return place;
  };
  const fail = (error: GeolocationPositionError): void => {
    const isRefused = error.code === error.PERMISSION_DENIED;
    publish({ state: isRefused ? 'refused' : 'missing', place: undefined });
    // Otherwise, some browsers would prompt the courier again each time.
    if (isRefused) reporter.lose();
  };
  const locate = (): Promise<Place | undefined> =>
    new Promise((resolve) => {
      const end = (error: GeolocationPositionError): void => {
        fail(error);
        resolve(undefined);
      };
      navigator.geolocation.getCurrentPosition((position) => resolve(find(position)), end, LOOK);
    });
  const reporter = createPositionReporter({
    post: postPosition,
    locate,
    now: () => performance.now(),
    wait: (run, delayMs) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  });
  const options = { enableHighAccuracy: true, maximumAge: 2_000 };
  const watching = navigator.geolocation.watchPosition((position) => reporter.move(find(position)), fail, options);
  return () => {
    isOver = true;
    navigator.geolocation.clearWatch(watching);
    reporter.stop();
  };
}
