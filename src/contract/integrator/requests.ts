// Query parameters and the body of a cancellation. Query values arrive as text and are parsed only here.
import { z } from 'zod';
import { reasonsOf } from '../../domain/orders/cancellation.ts';
import { fieldPath, isJsonObject, type JsonValue } from '../../domain/canonical-json.ts';
import { refuse, type Refusal } from '../../domain/refusals.ts';
import { text } from './orders/fields.ts';
import { describeExpectedValue } from '../validation/problem-text.ts';

type Read<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };

export const cancelRequestSchema = z.object({
  cancelReasonId: z.enum(reasonsOf('Restaurant')).describe('One of the reasons that a restaurant may use'),
  reason: text(500, 'Free text; by default the meaning of cancelReasonId').optional(),
});
export type CancelRequest = z.infer<typeof cancelRequestSchema>;

export function readCancelRequest(value: JsonValue): Read<CancelRequest> {
  if (!isJsonObject(value)) return invalid('body', 'Must be a JSON object');
  const result = cancelRequestSchema.safeParse(value, { error: () => '' });
  if (result.success) return { ok: true, value: result.data };
  const problems = result.error.issues.map((issue) => ({
    field: fieldPath(issue.path),
    message: describeExpectedValue(issue, value),
  }));
  return { ok: false, refusal: refuse('REQ_004', undefined, problems) };
}

export function readIntakeQuery(query: Record<string, unknown>): Read<{ dryRun: boolean }> {
  const { dryRun } = query;
  const misspelled = Object.keys(query).find((name) => name !== 'dryRun' && /^dry[-_]?run$/i.test(name));
  if (misspelled !== undefined)
    return invalid(
      misspelled,
      'Unknown parameter. Did you mean dryRun? The request was refused, because otherwise it would place a real order',
    );
  if (dryRun === undefined || dryRun === 'false') return { ok: true, value: { dryRun: false } };
  // Any other value is ambiguous, and one of the two meanings sends a courier.
  return dryRun === 'true'
    ? { ok: true, value: { dryRun: true } }
    : invalid('dryRun', 'Must be true or false, and sent only once');
}

export const EVENTS_LIMIT = { min: 1, max: 500, usual: 100 } as const;

export interface EventsQuery {
  after: string | undefined;
  limit: number;
}

export function readEventsQuery(query: Record<string, unknown>): Read<EventsQuery> {
  const { after, limit } = query;
  if (after !== undefined && (typeof after !== 'string' || !/^[\w.~=+/-]{1,200}$/.test(after))) {
    return invalid('after', 'Must be a cursor from the events feed, sent only once');
  }
  if (limit === undefined) return { ok: true, value: { after, limit: EVENTS_LIMIT.usual } };
  const count = typeof limit === 'string' && /^[0-9]{1,3}$/.test(limit) ? Number(limit) : 0;
  if (count < EVENTS_LIMIT.min || count > EVENTS_LIMIT.max) {
    return invalid('limit', `Must be a number from ${EVENTS_LIMIT.min} to ${EVENTS_LIMIT.max}, sent only once`);
  }
  return { ok: true, value: { after, limit: count } };
}

function invalid(field: string, message: string): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: refuse('REQ_004', undefined, [{ field, message }]) };
}
