// What operators must check after the database was restored to an earlier point, until one of them dismisses it.
import { dismissRestoreNotice } from '../../../actions/upkeep/dismiss-restore-notice.ts';
import { restoreNoticeApi, type RestoreNoticeAnswer } from '../../../contract/panel/operator/restore-notice.ts';
import { formatUtc } from '../../../domain/time.ts';
import { listUnknownsAfterRestore } from '../../../domain/upkeep/after-restore.ts';
import { findUndismissedEpoch, type Epoch } from '../../../store/upkeep/epochs.ts';
import { ok } from '../../protocol/answer.ts';
import { done } from '../guard.ts';
import { panelRoute } from '../route.ts';

const OPERATORS = ['operator'] as const;

export const restoreNoticeRoutes = [
  panelRoute(restoreNoticeApi.read, {
    roles: OPERATORS,
    handler: async (deps) => {
      const epoch = await findUndismissedEpoch(deps.db);
      return ok({ notice: epoch === undefined ? null : describe(epoch) });
    },
  }),
  panelRoute(restoreNoticeApi.dismiss, {
    roles: OPERATORS,
    handler: async (deps, { params, session }) => {
      const result = await dismissRestoreNotice(deps, { epochId: params.epochId, actor: session.actor });
      return result.kind === 'refused' ? result : done();
    },
  }),
];

function describe(epoch: Epoch): NonNullable<RestoreNoticeAnswer['notice']> {
  return {
    epochId: epoch.id,
    cause: epoch.cause,
    startedAt: formatUtc(epoch.startedAt),
    dataUntil: formatUtc(epoch.dataUntil),
    unknowns: listUnknownsAfterRestore(epoch.dataUntil),
  };
}
