import type { Platform } from '../../platform.ts';
import { savePosition, type MaybePlace } from '../../store/couriers/positions.ts';
import type { Queryable } from '../../store/database/database.ts';

/**
 * A report without a place only shows that the phone is in contact. False if nothing was saved: the courier is off
 * duty, or reported a moment ago. A position isn't worth a transaction.
 */
export function reportPosition(
  deps: Pick<Platform, 'clock'> & { db: Queryable },
  courierId: string,
  place: MaybePlace,
): Promise<boolean> {
  return savePosition(deps.db, { courierId, ...place, reportedAt: deps.clock.now() });
}
