import { findSupportCaseForUpdate, updateSupportCase } from '../../../store/webhooks/support-cases.ts';
import { refused, type Refused } from '../../administration.ts';
import { recordCaseChange, refuseUnknownCase, type CaseRequest, type SupportDeps } from './case-changes.ts';

/** Records that the integrator was contacted, as contract 6.4.3 promises. Only the first time counts. */
export function markCaseContacted(
  deps: SupportDeps,
  request: CaseRequest,
): Promise<{ kind: 'contacted' | 'unchanged' } | Refused> {
  return deps.db.transaction(async (tx) => {
    const supportCase = await findSupportCaseForUpdate(tx, request.caseId);
    if (supportCase === undefined) return refuseUnknownCase(request.caseId);
    if (supportCase.state === 'contacted') return { kind: 'unchanged' };
    if (supportCase.state === 'resolved') return refused('The support case is already resolved.');
    const at = deps.clock.now();
    await updateSupportCase(tx, { ...supportCase, state: 'contacted', contactedAt: at });
    await recordCaseChange(tx, supportCase, { at, actor: request.actor, action: 'support_case.contacted' });
    return { kind: 'contacted' };
  });
}
