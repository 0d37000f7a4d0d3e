import type { Place } from '../domain/geo.ts';
import type { Platform } from '../platform.ts';
import { savePosition } from '../store/courier-positions.ts';
import type { Queryable } from '../store/database.ts';

/** False when nothing was kept: the courier is off duty, or reported a moment ago. Not worth a transaction. */
export function reportPosition(
  deps: Pick<Platform, 'clock'> & { db: Queryable },
  courierId: string,
  place: Place,
): Promise<boolean> {
  return savePosition(deps.db, { courierId, ...place, reportedAt: deps.clock.now() });
}
