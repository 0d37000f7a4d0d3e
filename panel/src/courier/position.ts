// Where the courier is, for as long as they are on duty.
import { useEffect, useState } from 'react';
import { postPosition } from '../api/courier.ts';
import type { Place } from '../../../src/domain/geo.ts';
import { createPositionReporter } from './position-reporter.ts';

/** `refused`: the courier or the device said no; `missing`: allowed, but not found (indoors, no signal). */
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

function watch(tell: (position: Position) => void): () => void {
  const reporter = createPositionReporter({
    post: postPosition,
    now: () => performance.now(),
    wait: (run, delayMs) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  });
  const watching = navigator.geolocation.watchPosition(
    ({ coords: { latitude, longitude } }) => {
      const place = { latitude, longitude };
      tell({ state: 'known', place });
      reporter.move(place);
    },
    (error) => tell({ state: error.code === error.PERMISSION_DENIED ? 'refused' : 'missing', place: undefined }),
    { enableHighAccuracy: true, maximumAge: 2_000 },
  );
  return () => {
    navigator.geolocation.clearWatch(watching);
    reporter.stop();
  };
}
