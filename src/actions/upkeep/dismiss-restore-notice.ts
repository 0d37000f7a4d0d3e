import { recordChange } from '../../store/people/audit-log.ts';
import { dismissEpochById } from '../../store/upkeep/epochs.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';

export interface DismissRestoreNoticeRequest extends ByActor {
  epochId: string;
}

/** False if the notice doesn't exist or was already dismissed. */
export function dismissRestoreNotice(
  deps: Pick<AdministrationDeps, 'clock' | 'db'>,
  request: DismissRestoreNoticeRequest,
): Promise<boolean> {
  const { epochId, actor } = request;
  return deps.db.transaction(async (tx) => {
    const at = deps.clock.now();
    if (!(await dismissEpochById(tx, epochId, { at, by: actor.name }))) return false;
    await recordChange(tx, {
      at,
      actor,
      restaurantId: null,
      action: 'restore_notice.dismissed',
      detail: { epochId },
    });
    return true;
  });
}
