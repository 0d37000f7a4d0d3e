// Extension of the contract: the events of the webhooks in commit order, for whoever missed some.
import { readEventsQuery } from '../contract/requests.ts';
import { refuse } from '../domain/refusals.ts';
import { formatWithOffset } from '../domain/time.ts';
import type { Queryable } from '../store/database.ts';
import { listEventsAfter } from '../store/events.ts';
import { refused, type Answer } from './answer.ts';
import type { IntegratorCall } from './integrator-door.ts';

export async function listEvents(deps: { db: Queryable }, call: IntegratorCall): Promise<Answer> {
  const query = readEventsQuery(call.query);
  if (!query.ok) return refused(query.refusal);
  const { after, limit } = query.value;
  const afterSequence = after === undefined ? 0 : readCursor(after);
  if (afterSequence === undefined) {
    const details = [{ field: 'after', message: 'Send a cursor as the feed gave it' }];
    return refused(refuse('REQ_004', undefined, details));
  }
  const { restaurant } = call.credential;
  // One more than asked for tells whether there is more.
  const found = await listEventsAfter(deps.db, restaurant.id, { afterSequence, limit: limit + 1 });
  const page = found.slice(0, limit);
  const entries = page.map((event) => {
    const createdAt = formatWithOffset(event.occurredAt, restaurant.timeZone);
    // The body as it was committed: read and written again, it might no longer be the bytes that were signed.
    return `{"cursor":"${makeCursor(event.sequence)}","event":${event.body},"createdAt":"${createdAt}"}`;
  });
  const last = page.at(-1);
  const nextCursor = last === undefined ? (after ?? null) : makeCursor(last.sequence);
  const hasMore = found.length > limit;
  const body = `{"events":[${entries.join(',')}],"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore}}`;
  return { kind: 'ok', status: 200, body };
}

// Opaque on purpose: what a place in the feed is made of may change, so nobody should count with it.
const CURSOR = /^wb1:(0|[1-9]\d{0,14})$/;

export function makeCursor(sequence: number): string {
  return Buffer.from(`wb1:${sequence}`).toString('base64url');
}

export function readCursor(cursor: string): number | undefined {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const [, sequence] = CURSOR.exec(text) ?? [];
  if (sequence === undefined || makeCursor(Number(sequence)) !== cursor) return undefined;
  return Number(sequence);
}
