import { z } from 'zod';

const FIRST = Date.UTC(1970, 0, 1);
const LAST = Date.UTC(10_000, 0, 1);

/** A time as pages send it. Checked in UTC: year 1 with its offset may be year 0 in UTC, which PostgreSQL lacks. */
export const sentTime = z.iso.datetime({ offset: true }).refine(
  (text) => {
    const instant = Date.parse(text);
    return instant >= FIRST && instant < LAST;
  },
  { error: 'Must be a time from 1970 to 9999' },
);
