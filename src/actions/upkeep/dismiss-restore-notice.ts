import type { Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { dismissEpochById } from '../../store/upkeep/epochs.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';

export interface DismissRestoreNoticeRequest extends ByActor {
  epochId: string;
}

export function dismissRestoreNotice(
  deps: Pick<AdministrationDeps, 'clock' | 'db'>,
  request: DismissRestoreNoticeRequest,
): Promise<{ kind: 'dismissed' } | Refused> {
  const { epochId, actor } = request;
  return deps.db.transaction(async (tx) => {
    const at = deps.clock.now();
    if (!(await dismissEpochById(tx, epochId, { at, by: actor.name }))) return NOT_FOUND;
    await recordChange(tx, {
      at,
      actor,
      restaurantId: null,
      action: 'restore_notice.dismissed',
      detail: { epochId },
    });
    return { kind: 'dismissed' };
  });
}
