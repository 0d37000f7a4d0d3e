// Gauges for the metrics: support cases, mail, the audit and what was set aside.
import type { DifferenceKind } from '../../domain/upkeep/history-audit.ts';
import type { Work } from '../../domain/upkeep/set-aside.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';
import { countSetAside } from './set-aside.ts';

export interface UpkeepGauges {
  supportCases: { open: number; contacted: number };
  mails: { queued: number; refused: number };
  /** Age of the oldest queued mail; 0 if there is none. */
  oldestMailSeconds: number;
  differences: { kind: DifferenceKind; count: number }[];
  /** What workers could not process. */
  setAside: { work: Work; count: number }[];
  /** Null until the first pass has ended. */
  auditPass: { durationSeconds: number; ageSeconds: number } | null;
}

interface UpkeepRow {
  open: number;
  contacted: number;
  queued: number;
  refused: number;
  oldestMailSeconds: number;
  passSeconds: number | null;
  passAgeSeconds: number | null;
}

export async function readUpkeepGauges(db: Queryable, now: Instant): Promise<UpkeepGauges> {
  const [row] = await db.query<UpkeepRow>(
    `select
       (select count(*) from support_cases where state = 'open')::int as open,
       (select count(*) from support_cases where state = 'contacted')::int as contacted,
       mail.queued, mail.oldest_mail_seconds,
       (select count(*) from mail_outbox where refused_at is not null)::int as refused,
       p.last_pass_seconds as pass_seconds,
       extract(epoch from $1::timestamptz - p.last_pass_ended_at)::double precision as pass_age_seconds
     from (
       select count(*)::int as queued,
         greatest(coalesce(extract(epoch from $1::timestamptz - min(created_at)), 0), 0)::double precision
           as oldest_mail_seconds
       from mail_outbox where sent_at is null and refused_at is null
     ) mail
     left join audit_progress p on true`,
    [toTimestamp(now)],
  );
  const differences = await db.query<{ kind: DifferenceKind; count: number }>(
    'select kind, count(*)::int as count from audit_differences group by kind',
  );
  const { passSeconds: durationSeconds = null, passAgeSeconds: ageSeconds = null } = row ?? {};
  return {
    supportCases: { open: row?.open ?? 0, contacted: row?.contacted ?? 0 },
    mails: { queued: row?.queued ?? 0, refused: row?.refused ?? 0 },
    oldestMailSeconds: row?.oldestMailSeconds ?? 0,
    differences,
    setAside: await countSetAside(db, now),
    auditPass: durationSeconds === null || ageSeconds === null ? null : { durationSeconds, ageSeconds },
  };
}
