import { formatUtc } from '../../domain/time.ts';
import type { Platform } from '../../platform.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import type { Queryable } from '../../store/database/database.ts';
import { insertEpoch, type Epoch } from '../../store/upkeep/epochs.ts';
import { deleteAllSignIns } from '../../store/people/sessions.ts';
import type { ByActor } from '../administration.ts';

export interface BeginEpochRequest extends ByActor, Pick<Epoch, 'cause' | 'dataUntil'> {}

/**
 * To be called once for each return to an earlier moment, before the service runs on it. A session that was ended, or a
 * link that was used after that moment, would otherwise be good again.
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
