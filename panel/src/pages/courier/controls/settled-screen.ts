import { useEffect, useState } from 'react';

/** A touch within this time was meant for what stood there before. */
const PAUSE_MS = 700;

/** False for a moment after something else has come under the thumb: named by `what`. */
export function useIsRested(what: string): boolean {
  const [rested, setRested] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setRested(what), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [what]);
  return rested === what;
}
