// The wire format of a refusal: the same everywhere.
import { REFUSAL_STATUS } from '../../contract/refusal-status.ts';
import { describeRefusal, PANEL_CODES, REFUSALS, type Refusal } from '../../domain/refusals.ts';

export function problemBody(refusal: Refusal, requestId: string): string {
  return JSON.stringify({
    error: REFUSALS[refusal.code].error,
    message: describeRefusal(refusal),
    code: refusal.code,
    // JSON.stringify omits these when they are undefined.
    details: refusal.details,
    restartAfter: refusal.restartAfter,
    requestId,
  });
}

const CHALLENGE = { 'www-authenticate': 'Basic realm="Waybill", charset="UTF-8"' };
const WAIT_A_MINUTE = { 'retry-after': '60' };
const WAIT_A_SECOND = { 'retry-after': '1' };
const WAIT_A_MOMENT = { 'retry-after': '5' };

export function problemHeaders({ code, retryAfterSeconds }: Refusal): Record<string, string> | undefined {
  if (retryAfterSeconds !== undefined) return { 'retry-after': String(retryAfterSeconds) };
  if (code === 'RATE_001') return WAIT_A_MINUTE;
  if (code === 'RATE_002') return WAIT_A_SECOND;
  if (code === 'SRV_001') return WAIT_A_MOMENT;
  // In a browser the challenge would open a sign-in dialog over the page.
  return REFUSAL_STATUS[code] === 401 && !PANEL_CODES.includes(code) ? CHALLENGE : undefined;
}
