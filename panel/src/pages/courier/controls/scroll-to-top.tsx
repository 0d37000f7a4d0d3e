import { useEffect } from 'react';

/** Brings the page to its top when it appears: with a key, whenever there is another thing to read from the beginning. */
export function BeginAtTop() {
  useEffect(() => {
    scrollTo({ top: 0 });
  }, []);
  return null;
}
