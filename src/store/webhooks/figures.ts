// Webhook results over time, from a bounded number of attempts per time span.
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { seekAttempts } from './log.ts';

/** How many attempts of one span are counted; the newest if there are more. */
export const MAX_SAMPLED_PER_SPAN = 4_000;

export interface SpanFigures {
  from: Instant;
  until: Instant;
  delivered: number;
  failed: number;
  p50Ms: number | null;
  p95Ms: number | null;
  isSampled: boolean;
}

/** Consecutive spans of equal length, the last one ending at `until`. */
export async function listWebhookFigures(
  db: Queryable,
  restaurantId: string,
  spans: { until: Instant; lengthMs: number; count: number },
): Promise<SpanFigures[]> {
  const bounds = Array.from(
    { length: spans.count + 1 },
    (_, index) => spans.until - (spans.count - index) * spans.lengthMs,
  );
  const ids = await seekAttempts(db, restaurantId, bounds);
  const rows = await db.query<Omit<SpanFigures, 'from' | 'until'>>(
    {
      name: 'list_webhook_figures',
      text: `
        select f.* from unnest($2::bigint[], $3::bigint[]) with ordinality as span (low, high, place)
        cross join lateral (
          select count(*) filter (where outcome = 'delivered')::int as delivered,
            count(*) filter (where outcome = 'failed')::int as failed,
            percentile_cont(0.5) within group (order by total_ms) filter (where outcome <> 'discarded') as p50_ms,
            percentile_cont(0.95) within group (order by total_ms) filter (where outcome <> 'discarded') as p95_ms,
            count(*) = ${MAX_SAMPLED_PER_SPAN} as is_sampled
          from (
            -- With the lower bound in here, the whole span would be read and sorted: a range looks small to the planner.
            select id, outcome, total_ms from attempts
            where restaurant_id = $1 and id <= span.high
            order by id desc limit least(${MAX_SAMPLED_PER_SPAN}, span.high - span.low)
          ) newest
          where id > span.low
        ) f
        order by span.place`,
    },
    [restaurantId, ids.slice(0, -1).map((id) => id ?? 0), ids.slice(1).map((id) => id ?? 0)],
  );
  return rows.map((row, index) => ({ ...row, from: bounds[index] ?? 0, until: bounds[index + 1] ?? 0 }));
}
