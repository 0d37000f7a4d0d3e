// Shared by the operator's actions on a support case.
import { isInScope, type Scope } from '../../../domain/people/scope.ts';
import { recordChange, type AuditActor, type AuditDetail } from '../../../store/people/audit-log.ts';
import type { Queryable } from '../../../store/database/database.ts';
import { findSupportCaseForUpdate, type SupportCase } from '../../../store/webhooks/support-cases.ts';
import type { AdministrationDeps, ByActor } from '../../administration.ts';

export type SupportDeps = Pick<AdministrationDeps, 'clock' | 'db'>;

export interface CaseRequest extends ByActor {
  caseId: string;
  scope: Scope;
}

export async function lockOwnCase(tx: Queryable, { caseId, scope }: CaseRequest): Promise<SupportCase | undefined> {
  const supportCase = await findSupportCaseForUpdate(tx, caseId);
  return supportCase !== undefined && isOwnCase(supportCase, scope) ? supportCase : undefined;
}

export function isOwnCase({ restaurantId }: SupportCase, scope: Scope): boolean {
  return isInScope(scope, { restaurantId, courierId: null });
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
