import { formatUtc } from '../../domain/time.ts';
import type { Platform } from '../../platform.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import type { Queryable } from '../../store/database/database.ts';
import { insertEpoch, type Epoch } from '../../store/upkeep/epochs.ts';
import { deleteAllSignIns } from '../../store/people/sessions.ts';
import type { ByActor } from '../administration.ts';

export interface BeginEpochRequest extends ByActor, Pick<Epoch, 'cause' | 'dataUntil'> {}

/**
 * Call once after each restore to an earlier point, before the service runs on the database. Otherwise a session that
 * was ended, or a link that was used after that point, would be valid again.
 */
export async function beginEpoch(
  deps: Pick<Platform, 'clock' | 'newId'> & { tx: Queryable },
  request: BeginEpochRequest,
): Promise<Epoch> {
  const { cause, dataUntil, actor } = request;
  const now = deps.clock.now();
  const epoch = { id: deps.newId(), cause, startedAt: now, dataUntil };
  await insertEpoch(deps.tx, epoch);
  await deleteAllSignIns(deps.tx);
  await recordChange(deps.tx, {
    at: now,
    actor,
    restaurantId: null,
    action: cause === 'restored' ? 'database.restored' : 'database.recovered',
    detail: { epochId: epoch.id, dataUntil: formatUtc(dataUntil) },
  });
  return epoch;
}
