import { useEffect } from 'react';

/** Scrolls the page to the top on mount. Give it a key to scroll again for new content. */
export function BeginAtTop() {
  useEffect(() => {
    scrollTo({ top: 0 });
  }, []);
  return null;
}
