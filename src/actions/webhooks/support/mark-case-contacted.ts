import { refuse, refused, type Refused } from '../../../domain/refusals.ts';
import { updateSupportCase } from '../../../store/webhooks/support-cases.ts';
import { NOT_FOUND } from '../../administration.ts';
import { lockOwnCase, recordCaseChange, type CaseRequest, type SupportDeps } from './case-changes.ts';

/** Records that the integrator was contacted, as contract 6.4.3 promises. Only the first time counts. */
export function markCaseContacted(
  deps: SupportDeps,
  request: CaseRequest,
): Promise<{ kind: 'contacted' | 'unchanged' } | Refused> {
  return deps.db.transaction(async (tx) => {
    const supportCase = await lockOwnCase(tx, request);
    if (supportCase === undefined) return NOT_FOUND;
    if (supportCase.state === 'contacted') return { kind: 'unchanged' };
    if (supportCase.state === 'resolved') return refused(refuse('SUPPORT_001'));
    const at = deps.clock.now();
    await updateSupportCase(tx, { ...supportCase, state: 'contacted', contactedAt: at });
    await recordCaseChange(tx, supportCase, { at, actor: request.actor, action: 'support_case.contacted' });
    return { kind: 'contacted' };
  });
}
