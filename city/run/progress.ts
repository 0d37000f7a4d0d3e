// The progress of the day, in one line.
import { DELIVERY_AGE_MS } from '../../src/domain/orders/lateness.ts';
import { formatUtc, type Instant } from '../../src/domain/time.ts';
import type { Queryable } from '../../src/store/database/database.ts';

export interface Progress {
  now: Instant;
  byState: Record<string, number>;
  /** Neither delivered nor canceled. */
  open: number;
  /** Open for longer than the operator page's limit for late orders. */
  late: number;
  webhooksSent: number;
  webhooksWaiting: number;
}

export async function readProgress(db: Queryable, now: Instant): Promise<Progress> {
  const states = await db.query<{ state: string; count: number; open: number; late: number }>(
    `select state, count(*)::int, (count(*) filter (where finished_at is null))::int as open,
       (count(*) filter (where finished_at is null and created_at < $1))::int as late
     from orders group by state`,
    [new Date(now - DELIVERY_AGE_MS.late)],
  );
  const [webhooks] = await db.query<{ sent: number; waiting: number }>(
    `select (select count(*) from attempts where outcome = 'delivered')::int as sent,
       (select count(*) from deliveries)::int as waiting`,
  );
  const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    now,
    byState: Object.fromEntries(states.map(({ state, count }) => [state, count])),
    open: sum(states.map(({ open }) => open)),
    late: sum(states.map(({ late }) => late)),
    webhooksSent: webhooks?.sent ?? 0,
    webhooksWaiting: webhooks?.waiting ?? 0,
  };
}

const SHOWN = [
  'NEW',
  'VALIDATED',
  'ROUTED',
  'ASSIGNED',
  'ACCEPTED',
  'PREPARED',
  'ON_DELIVERY',
  'DELIVERED',
  'CANCELED',
];

export function showProgress({ now, byState, late, webhooksSent, webhooksWaiting }: Progress): string {
  const states = SHOWN.flatMap((state) => (byState[state] === undefined ? [] : [`${state} ${byState[state]}`]));
  const orders = states.length === 0 ? 'no orders yet' : states.join('  ');
  const time = formatUtc(now).slice(11, 16);
  return `${time}  ${orders}  late ${late}  webhooks ${webhooksSent} sent, ${webhooksWaiting} waiting`;
}
