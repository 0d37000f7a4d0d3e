// Searches the audit log backward from its newest entry, a bounded number of entries per page.
import type { Instant } from '../../domain/time.ts';
import type { AuditDetail } from './audit-log.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface AuditRecord {
  id: number;
  at: Instant;
  actor: string;
  /** Null if the change did not come from a request. */
  clientAddress: string | null;
  restaurant: { id: string; name: string } | null;
  action: string;
  detail: AuditDetail;
}

export interface AuditSearch {
  /** Part of the actor's name; empty for all. */
  actor: string;
  /** Prefix of the action, such as `user.`; empty for all. */
  action: string;
  restaurantId: string | null;
  from: Instant | null;
  until: Instant | null;
  /** Only entries with a lower number than this. */
  before: number | null;
  limit: number;
}

export interface AuditPage {
  entries: AuditRecord[];
  /** Where the next page starts; null at the end of the log. */
  next: number | null;
}

/** How many entries are scanned per page, regardless of the search. */
const MAX_SEARCHED = 20_000;

interface RecordRow extends AuditRecord {
  isHit: boolean;
}

// The last scanned row is returned even if it does not match: the next page starts there.
function statementOf(isOfRestaurant: boolean): string {
  return `
    with searched as materialized (
      select e.*, row_number() over (order by e.id desc) as place from (
        select id, at, actor, client_address, restaurant_id, action, detail from audit_entries
        where id < $1 and ${isOfRestaurant ? 'restaurant_id = $2::uuid' : '$2::uuid is null'}
        order by id desc limit ${MAX_SEARCHED}
      ) e
    ),
    judged as (
      select s.*, strpos(lower(s.actor), lower($3)) > 0 and starts_with(s.action, $4) and s.at >= $5 and s.at < $6
        as is_hit
      from searched s
    )
    select j.id::double precision as id, j.is_hit, j.at, j.actor, j.client_address,
      case when r.id is not null then json_build_object('id', r.id, 'name', r.name) end as restaurant,
      j.action, j.detail
    from judged j
    left join restaurants r on r.id = j.restaurant_id
    where j.is_hit or j.place = ${MAX_SEARCHED}
    order by j.id desc
    limit $7`;
}

export async function searchAudit(db: Queryable, search: AuditSearch): Promise<AuditPage> {
  const rows = await db.query<RecordRow>(statementOf(search.restaurantId !== null), [
    search.before ?? Number.MAX_SAFE_INTEGER,
    search.restaurantId,
    search.actor,
    search.action,
    toTimestamp(search.from) ?? '-infinity',
    toTimestamp(search.until) ?? 'infinity',
    search.limit + 1,
  ]);
  const page = rows.slice(0, search.limit);
  const isCut = rows.length > search.limit || page.some((row) => !row.isHit);
  const last = page.at(-1);
  return {
    entries: page.filter((row) => row.isHit).map(({ isHit: _isHit, ...record }) => record),
    next: isCut && last !== undefined ? last.id : null,
  };
}
