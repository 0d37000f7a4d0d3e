// Couriers to whom an order could be assigned by hand, as shown to restaurants and the operator.
import type { CandidatesAnswer } from '../../../contract/panel/planning/candidates.ts';
import type { CandidateRequest } from '../../../domain/couriers/candidate.ts';
import { formatUtc } from '../../../domain/time.ts';
import { ok, type Answer } from '../../protocol/answer.ts';
import type { PanelDeps } from '../route.ts';

export async function getCandidates(
  deps: Pick<PanelDeps, 'listCandidates'>,
  request: CandidateRequest,
): Promise<Answer<CandidatesAnswer>> {
  const result = await deps.listCandidates(request);
  if (result.kind === 'refused') return result;
  const { list } = result;
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
