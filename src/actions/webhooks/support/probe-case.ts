// Tests the endpoint of a support case now: first its name, connection and certificates, then the webhook that has
// waited longest. A made-up event might confuse a receiver that only knows real ones. This one is real: it is logged
// as an attempt, and closes the case if it is accepted.
import { refuse, refused, type Refused } from '../../../domain/refusals.ts';
import { findOldestWaiting } from '../../../store/webhooks/endpoint-health.ts';
import { resendDelivery, type ResendResult } from '../../../store/webhooks/delivery-log.ts';
import { findSupportCase } from '../../../store/webhooks/support-cases.ts';
import { NOT_FOUND } from '../../administration.ts';
import { isOwnCase, recordCaseChange, type CaseRequest, type SupportDeps } from './case-changes.ts';

/** Inspects an endpoint without sending a request. */
export interface EndpointInspector<Inspection> {
  inspect(url: string): Promise<Inspection>;
}

export interface CaseProbed<Inspection> {
  kind: 'probed';
  inspection: Inspection;
  /** The webhook that was sent, if one was waiting and the endpoint is reachable. */
  sent: { eventId: string; result: ResendResult } | null;
}

export async function probeCase<Inspection extends { ok: boolean }>(
  deps: SupportDeps & { inspector: EndpointInspector<Inspection> },
  request: CaseRequest,
): Promise<CaseProbed<Inspection> | Refused> {
  const supportCase = await findSupportCase(deps.db, request.caseId);
  if (supportCase === undefined || !isOwnCase(supportCase, request.scope)) return NOT_FOUND;
  const { restaurantId, endpoint, url } = supportCase;
  if (url === null) return refused(refuse('SUPPORT_002'));
  const inspection = await deps.inspector.inspect(url);
  const at = deps.clock.now();
  return deps.db.transaction(async (tx) => {
    const eventId = inspection.ok ? await findOldestWaiting(tx, { restaurantId, endpoint }) : undefined;
    const sent =
      eventId === undefined ? null : { eventId, result: await resendDelivery(tx, { eventId, restaurantId, now: at }) };
    await recordCaseChange(tx, supportCase, {
      at,
      actor: request.actor,
      action: 'support_case.probed',
      detail: { isReachable: inspection.ok, eventId: eventId ?? null },
    });
    return { kind: 'probed', inspection, sent };
  });
}
