// Contract extension: webhook events in commit order, for integrators who missed some.
import { readEventsQuery } from '../../contract/integrator/requests.ts';
import { refuse, refused } from '../../domain/refusals.ts';
import { formatWithOffset } from '../../domain/time.ts';
import type { Queryable } from '../../store/database/database.ts';
import { findCurrentEpochId, findSharedSequence, type EpochId } from '../../store/upkeep/epochs.ts';
import { findLastSequence, listEventsAfter } from '../../store/orders/events.ts';
import { type Answer } from '../protocol/answer.ts';
import type { ConfirmReplicated } from '../../store/database/replicated.ts';
import type { IntegratorCall } from './guard.ts';

export interface EventsFeedDeps {
  db: Queryable;
  confirmReplicated: ConfirmReplicated;
}

export async function listEvents(deps: EventsFeedDeps, call: IntegratorCall): Promise<Answer> {
  const query = readEventsQuery(call.query);
  if (!query.ok) return refused(query.refusal);
  const { after, limit } = query.value;
  const epochId = await findCurrentEpochId(deps.db);
  const place = after === undefined ? { epochId, sequence: 0 } : readCursor(after);
  if (place === undefined) {
    const details = [{ field: 'after', message: 'Must be a cursor from the events feed' }];
    return refused(refuse('REQ_004', undefined, details));
  }
  const { restaurant } = call.credential;
  if (place.epochId !== epochId) {
    const shared = await findSharedSequence(deps.db, { restaurantId: restaurant.id, epochId: place.epochId });
    return refuseCursor({ epochId, sequence: Math.min(place.sequence, shared) });
  }
  // One more than requested shows whether there is more.
  const found = await listEventsAfter(deps.db, restaurant.id, { afterSequence: place.sequence, limit: limit + 1 });
  // A cursor ahead of every event comes from a database that was restored to an earlier point without beginning an
  // epoch. It is unknown where the two histories diverge.
  if (found.length === 0 && place.sequence > (await findLastSequence(deps.db, restaurant.id))) {
    return refuseCursor({ epochId, sequence: 0 });
  }
  // If a promotion lost an event that was read, another one would get its sequence, and this cursor would skip it.
  if (found.length > 0) await deps.confirmReplicated();
  const page = found.slice(0, limit);
  const entries = page.map((event) => {
    const createdAt = formatWithOffset(event.occurredAt, restaurant.timeZone);
    const cursor = makeCursor({ epochId, sequence: event.sequence });
    // The body as committed: parsed and serialized again, it might differ from the bytes that were signed.
    return `{"cursor":"${cursor}","event":${event.body},"createdAt":"${createdAt}"}`;
  });
  const last = page.at(-1);
  const nextCursor = last === undefined ? (after ?? null) : makeCursor({ epochId, sequence: last.sequence });
  const hasMore = found.length > limit;
  const body = `{"events":[${entries.join(',')}],"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore}}`;
  return { kind: 'ok', status: 200, body };
}

function refuseCursor(restart: FeedPlace): Answer {
  return refused({ ...refuse('FEED_001'), restartAfter: makeCursor(restart) });
}

export interface FeedPlace {
  epochId: EpochId;
  sequence: number;
}

// Opaque on purpose: the contents of a cursor may change, so clients must not interpret them. Cursors of the first
// epoch keep the format from before there were epochs, so that those stored by integrators stay valid.
const CURSOR = /^wb(?:1|2:([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})):(0|[1-9]\d{0,14})$/;

export function makeCursor({ epochId, sequence }: FeedPlace): string {
  return Buffer.from(epochId === null ? `wb1:${sequence}` : `wb2:${epochId}:${sequence}`).toString('base64url');
}

export function readCursor(cursor: string): FeedPlace | undefined {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const [, epochId = null, sequence] = CURSOR.exec(text) ?? [];
  if (sequence === undefined) return undefined;
  const place = { epochId, sequence: Number(sequence) };
  return makeCursor(place) === cursor ? place : undefined;
}
