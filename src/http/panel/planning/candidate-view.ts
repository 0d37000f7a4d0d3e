// Couriers to whom an order could be assigned by hand, as shown to restaurants and the operator.
import type { CandidatesAnswer } from '../../../contract/panel/planning/candidates.ts';
import { refuse, refused } from '../../../domain/refusals.ts';
import { formatUtc } from '../../../domain/time.ts';
import { ok, type Answer } from '../../protocol/answer.ts';
import type { PanelDeps } from '../route.ts';

/** The caller must have checked that the viewer may see the order. */
export async function getCandidates(
  deps: Pick<PanelDeps, 'listCandidates'>,
  request: Parameters<PanelDeps['listCandidates']>[0],
): Promise<Answer<CandidatesAnswer>> {
  const list = await deps.listCandidates(request);
  if (list === undefined) return refused(refuse('ORDER_003', 'The order is finished, so no courier can be assigned'));
  const answer: CandidatesAnswer = {
    ...list,
    couriers: list.couriers.map(({ figures, ...courier }) => ({
      ...courier,
      figures: figures && {
        ...figures,
        pickupAt: formatUtc(figures.pickupAt),
        dropoffAt: formatUtc(figures.dropoffAt),
      },
    })),
  };
  return ok(answer);
}
