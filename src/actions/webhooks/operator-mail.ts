// Recipients of mail for the operator, and the service URL it contains.
import type { Log } from '../../platform.ts';
import type { Queryable } from '../../store/database/database.ts';
import { listOperatorAddresses } from '../../store/webhooks/endpoint-health.ts';

export interface OperatorMail {
  /** Null: every user who signs in as an operator. */
  operatorEmail: string | null;
  publicUrl: string;
}

export async function listOperatorRecipients(deps: OperatorMail & { log: Log }, db: Queryable): Promise<string[]> {
  const recipients = deps.operatorEmail === null ? await listOperatorAddresses(db) : [deps.operatorEmail];
  if (recipients.length === 0) {
    const advice = 'set WAYBILL_OPERATOR_EMAIL or add a user with the role operator';
    deps.log.warn({ event: 'mail.no_operator', advice });
  }
  return recipients;
}
