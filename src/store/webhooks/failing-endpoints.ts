// Every endpoint that is failing now, across all restaurants.
import type { EndpointKind } from '../../domain/webhooks/events.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import type { CaseState } from './support-cases.ts';

export interface FailingEndpoint {
  restaurantId: string;
  restaurantName: string;
  endpoint: EndpointKind;
  url: string | null;
  failingSince: Instant;
  lastSuccessAt: Instant | null;
  lastError: string | null;
  /** Failed webhooks waiting for their next attempt, counted up to `MAX_COUNTED`. */
  waiting: number;
  nextAttemptAt: Instant | null;
  supportCase: { id: string; state: CaseState } | null;
}

export const MAX_COUNTED = 10_000;

/** Those failing longest come first. */
export function listFailingEndpoints(db: Queryable, limit: number): Promise<FailingEndpoint[]> {
  return db.query<FailingEndpoint>(
    {
      name: 'list_failing_endpoints',
      text: `
        select p.restaurant_id, r.name as restaurant_name, p.kind as endpoint, p.url, p.failing_since,
          p.last_success_at, p.last_error, w.waiting, w.next_attempt_at,
          case when c.id is not null then json_build_object('id', c.id, 'state', c.state) end as support_case
        from endpoints p
        join restaurants r on r.id = p.restaurant_id
        cross join lateral (
          select count(*)::int as waiting, min(due_at) as next_attempt_at from (
            select d.due_at from deliveries d
            where d.restaurant_id = p.restaurant_id and d.endpoint = p.kind and d.failures > 0
            limit ${MAX_COUNTED}
          ) counted
        ) w
        left join failing_spells s on s.restaurant_id = p.restaurant_id and s.endpoint = p.kind and s.ended_at is null
        left join support_cases c on c.spell_id = s.id
        where p.failing_since is not null
        order by p.failing_since, p.restaurant_id, p.kind
        limit $1`,
    },
    [limit],
  );
}
