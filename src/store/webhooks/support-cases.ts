// The operator's cases for contacting an integrator whose endpoint keeps failing.
import type { EndpointKind } from '../../domain/webhooks/events.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';
import { isUuid } from '../database/uuid.ts';

export type CaseState = 'open' | 'contacted' | 'resolved';
export type Resolution = 'recovered' | 'switched_off' | 'by_operator';

export interface SupportCase {
  id: string;
  restaurantId: string;
  restaurantName: string;
  /** The integrator's id for the restaurant. */
  providerRestaurantId: string;
  contactEmail: string | null;
  endpoint: EndpointKind;
  /** The URL registered now. */
  url: string | null;
  state: CaseState;
  failingSince: Instant;
  openedAt: Instant;
  contactedAt: Instant | null;
  resolvedAt: Instant | null;
  resolution: Resolution | null;
}

const SELECT_CASES = `
  select c.id, c.restaurant_id, r.name as restaurant_name, r.provider_restaurant_id, r.contact_email, c.endpoint, p.url,
    c.state, c.failing_since, c.opened_at, c.contacted_at, c.resolved_at, c.resolution
  from support_cases c
  join restaurants r on r.id = c.restaurant_id
  join endpoints p on p.restaurant_id = c.restaurant_id and p.kind = c.endpoint`;

/** Unresolved cases only: oldest first. Including resolved ones: newest first. */
export function listSupportCases(
  db: Queryable,
  page: { includesResolved: boolean; limit: number },
): Promise<SupportCase[]> {
  return db.query<SupportCase>(
    page.includesResolved
      ? `${SELECT_CASES} order by c.opened_at desc, c.id desc limit $1`
      : `${SELECT_CASES} where c.state <> 'resolved' order by c.opened_at, c.id limit $1`,
    [page.limit],
  );
}

/** In one state: unresolved ones oldest first, resolved ones newest first. */
export function listSupportCasesIn(db: Queryable, state: CaseState, limit: number): Promise<SupportCase[]> {
  return db.query<SupportCase>(
    state === 'resolved'
      ? `${SELECT_CASES} where c.state = 'resolved' order by c.opened_at desc, c.id desc limit $1`
      : `${SELECT_CASES} where c.state <> 'resolved' and c.state = $2 order by c.opened_at, c.id limit $1`,
    state === 'resolved' ? [limit] : [limit, state],
  );
}

export async function findSupportCase(db: Queryable, id: string): Promise<SupportCase | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await db.query<SupportCase>(`${SELECT_CASES} where c.id = $1`, [id]);
  return row;
}

export async function findSupportCaseForUpdate(tx: Queryable, id: string): Promise<SupportCase | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await tx.query<SupportCase>(`${SELECT_CASES} where c.id = $1 for no key update of c`, [id]);
  return row;
}

export async function insertSupportCase(
  tx: Queryable,
  supportCase: Pick<SupportCase, 'id' | 'restaurantId' | 'endpoint' | 'failingSince' | 'openedAt'> & {
    outageId: string;
  },
): Promise<void> {
  await tx.query(
    `insert into support_cases (id, restaurant_id, endpoint, spell_id, failing_since, opened_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      supportCase.id,
      supportCase.restaurantId,
      supportCase.endpoint,
      supportCase.outageId,
      toTimestamp(supportCase.failingSince),
      toTimestamp(supportCase.openedAt),
    ],
  );
}

/** Has no effect on a case that is already resolved. */
export async function resolveCaseOfOutage(
  tx: Queryable,
  outageId: string,
  end: { at: Instant; resolution: Resolution },
): Promise<void> {
  await tx.query(
    `update support_cases set state = 'resolved', resolved_at = $2, resolution = $3
     where spell_id = $1 and state <> 'resolved'`,
    [outageId, toTimestamp(end.at), end.resolution],
  );
}

export async function updateSupportCase(
  tx: Queryable,
  supportCase: Pick<SupportCase, 'id' | 'state' | 'contactedAt' | 'resolvedAt' | 'resolution'>,
): Promise<void> {
  await tx.query(
    'update support_cases set state = $2, contacted_at = $3, resolved_at = $4, resolution = $5 where id = $1',
    [
      supportCase.id,
      supportCase.state,
      toTimestamp(supportCase.contactedAt),
      toTimestamp(supportCase.resolvedAt),
      supportCase.resolution,
    ],
  );
}

export interface SupportNote {
  at: Instant;
  actor: string;
  note: string;
}

export async function insertSupportNote(tx: Queryable, caseId: string, note: SupportNote): Promise<void> {
  await tx.query('insert into support_notes (case_id, at, actor, note) values ($1, $2, $3, $4)', [
    caseId,
    toTimestamp(note.at),
    note.actor,
    note.note,
  ]);
}

/** Oldest first. */
export function listSupportNotes(db: Queryable, caseId: string): Promise<SupportNote[]> {
  return db.query<SupportNote>('select at, actor, note from support_notes where case_id = $1 order by id', [caseId]);
}
