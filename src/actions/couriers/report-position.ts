import type { Platform } from '../../platform.ts';
import { savePosition, type MaybePlace } from '../../store/couriers/positions.ts';
import type { Queryable } from '../../store/database/database.ts';

/**
 * Without a place: the phone does not know it, but it is there. False when nothing was kept: the courier is off duty, or
 * reported a moment ago. Not worth a transaction.
 */
export function reportPosition(
  deps: Pick<Platform, 'clock'> & { db: Queryable },
  courierId: string,
  place: MaybePlace,
): Promise<boolean> {
  return savePosition(deps.db, { courierId, ...place, reportedAt: deps.clock.now() });
}
