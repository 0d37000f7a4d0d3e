import { useEffect, useState } from 'react';

/** A tap within this time was meant for the previous content. */
const PAUSE_MS = 700;

/** False for a moment after the content identified by `what` has changed. */
export function useIsRested(what: string): boolean {
  const [rested, setRested] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setRested(what), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [what]);
  return rested === what;
}
