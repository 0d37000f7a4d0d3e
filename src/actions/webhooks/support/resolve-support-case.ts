import type { Refused } from '../../../domain/refusals.ts';
import { updateSupportCase } from '../../../store/webhooks/support-cases.ts';
import { NOT_FOUND } from '../../administration.ts';
import { lockOwnCase, recordCaseChange, type CaseRequest, type SupportDeps } from './case-changes.ts';

/** Closes a case by hand. The same outage opens no second case, and retries to the endpoint continue. */
export function resolveSupportCase(
  deps: SupportDeps,
  request: CaseRequest,
): Promise<{ kind: 'resolved' | 'unchanged' } | Refused> {
  return deps.db.transaction(async (tx) => {
    const supportCase = await lockOwnCase(tx, request);
    if (supportCase === undefined) return NOT_FOUND;
    if (supportCase.state === 'resolved') return { kind: 'unchanged' };
    const at = deps.clock.now();
    await updateSupportCase(tx, { ...supportCase, state: 'resolved', resolvedAt: at, resolution: 'by_operator' });
    await recordCaseChange(tx, supportCase, { at, actor: request.actor, action: 'support_case.resolved' });
    return { kind: 'resolved' };
  });
}
