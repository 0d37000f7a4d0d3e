// Shared by the operator's actions on a support case.
import { recordChange, type AuditActor, type AuditDetail } from '../../../store/people/audit-log.ts';
import type { Queryable } from '../../../store/database/database.ts';
import type { SupportCase } from '../../../store/webhooks/support-cases.ts';
import { refused, type AdministrationDeps, type ByActor, type Refused } from '../../administration.ts';

export type SupportDeps = Pick<AdministrationDeps, 'clock' | 'db'>;

export interface CaseRequest extends ByActor {
  caseId: string;
}

export function refuseUnknownCase(caseId: string): Refused {
  return refused(`There is no support case with the id ${JSON.stringify(caseId)}.`);
}

export async function recordCaseChange(
  tx: Queryable,
  supportCase: SupportCase,
  change: { at: number; actor: AuditActor; action: string; detail?: AuditDetail },
): Promise<void> {
  await recordChange(tx, {
    at: change.at,
    actor: change.actor,
    restaurantId: supportCase.restaurantId,
    action: change.action,
    detail: { caseId: supportCase.id, endpoint: supportCase.endpoint, ...change.detail },
  });
}
