// The audit: compares orders, events, deliveries and attempts with the rules, in bounded rounds, and counts the
// differences. It repairs nothing; people decide from the log. Each round checks the newest orders, then continues
// where the last round ended. After a pass over all history, it starts again.
import { judgeOrder, judgeSequence, timeOfId, type Difference } from '../../domain/upkeep/history-audit.ts';
import { describeError, type SetAside, type Trouble } from '../../domain/upkeep/set-aside.ts';
import { SECOND_MS, type Instant } from '../../domain/time.ts';
import type { Platform } from '../../platform.ts';
import { recordDifferences } from '../../store/upkeep/audit-differences.ts';
import {
  claimAuditRound,
  endAuditPass,
  findStrayAttempts,
  listNewestOrdersToAudit,
  listOrdersToAudit,
  listSequencedEvents,
  readKeptSince,
  saveAuditProgress,
  type AuditPlaces,
  type AuditProgress,
  type DatedOrder,
} from '../../store/upkeep/audit-scan.ts';
import type { Database, Queryable } from '../../store/database/database.ts';

export type AuditDeps = Pick<Platform, 'clock' | 'log'> & { db: Database; setAside: SetAside };

export const AUDIT_INTERVAL_MS = 15 * SECOND_MS;
const NEWEST_ORDERS = 250;

export interface AuditSizes {
  intervalMs: number;
  /** Per round. */
  orders: number;
  /** Events per round, and the same number of attempts. */
  events: number;
}

// An order has about six events, so the walks end at about the same time. Orders are the most expensive: each of their
// events is looked up in the deliveries and in every weekly partition of attempts.
const SIZES: AuditSizes = { intervalMs: AUDIT_INTERVAL_MS, orders: 500, events: 3_000 };

/** Runs one round, unless another node has just done it. A short transaction keeps other nodes out. */
export async function auditHistory(deps: AuditDeps, sizes = SIZES): Promise<'done' | 'not_mine'> {
  const now = deps.clock.now();
  const troubles = new Map<string, Trouble>();
  const fresh = await deps.db.transaction(async (tx) => {
    const progress = await claimAuditRound(tx, { now, intervalMs: sizes.intervalMs });
    return progress && goRound(tx, { progress, now, sizes, troubles });
  });
  if (fresh === undefined) return 'not_mine';
  await deps.setAside.report('audit', [...troubles.values()]);
  for (const difference of fresh) deps.log.error({ event: 'audit.difference', ...difference });
  return 'done';
}

interface Round {
  progress: AuditProgress;
  now: Instant;
  sizes: AuditSizes;
  /** Orders that could not be judged, by id. */
  troubles: Map<string, Trouble>;
}

/** Returns the differences that were not known before. */
async function goRound(tx: Queryable, round: Round): Promise<Difference[]> {
  const { progress, now, sizes, troubles } = round;
  const keptSince = await readKeptSince(tx);
  const found = judgeKept(await listNewestOrdersToAudit(tx, NEWEST_ORDERS), { keptSince, troubles });
  const places = { ...progress.places };
  const ended = new Set(progress.ended);
  for (const walk of WALKS) {
    // Finished walks wait for the longest one, so that each pass covers everything.
    if (ended.has(walk.name)) continue;
    const part = await walk.go(tx, { places, keptSince, sizes, troubles });
    found.push(...part.differences);
    if (part.isLast) ended.add(walk.name);
  }
  const passStartedAt = progress.passStartedAt ?? now;
  const fresh = await recordDifferences(tx, found, { at: now, pass: progress.pass });
  if (ended.size < WALKS.length) {
    await saveAuditProgress(tx, { pass: progress.pass, passStartedAt, places, ended: [...ended] }, now);
  } else {
    await endAuditPass(tx, { number: progress.pass, startedAt: passStartedAt, endedAt: now });
    await saveAuditProgress(tx, { ...NEW_PASS, pass: progress.pass + 1 }, now);
  }
  return fresh;
}

const NEW_PASS = { passStartedAt: null, places: { order: null, event: null, attempt: null }, ended: [] } as const;

/** Skips orders older than the retained history, because some of their events were dropped as intended. */
function judgeKept(
  orders: readonly DatedOrder[],
  { keptSince, troubles }: { keptSince: Instant; troubles: Map<string, Trouble> },
): Difference[] {
  return orders
    .filter((order) => order.createdAt >= keptSince)
    .flatMap((order) => {
      try {
        return judgeOrder(order);
      } catch (error) {
        troubles.set(order.id, { kind: 'order', id: order.id, reason: describeError(error) });
        return [];
      }
    });
}

interface WalkPart {
  differences: Difference[];
  isLast: boolean;
}

interface Walk {
  name: keyof AuditPlaces;
  /** Audits the next part and advances the position. */
  go(
    tx: Queryable,
    at: { places: AuditPlaces; keptSince: Instant } & Pick<Round, 'sizes' | 'troubles'>,
  ): Promise<WalkPart>;
}

const WALKS: readonly Walk[] = [
  {
    name: 'order',
    async go(tx, { places, keptSince, sizes, troubles }) {
      const orders = await listOrdersToAudit(tx, { after: places.order, limit: sizes.orders });
      places.order = orders.at(-1)?.id ?? places.order;
      return { differences: judgeKept(orders, { keptSince, troubles }), isLast: orders.length < sizes.orders };
    },
  },
  {
    name: 'event',
    async go(tx, { places, keptSince, sizes }) {
      const isFirst = places.event === null;
      // One more, because a part begins with the last event of the part before.
      const limit = isFirst ? sizes.events : sizes.events + 1;
      const events = await listSequencedEvents(tx, { from: places.event, limit });
      const isLast = events.length < limit;
      const last = events.at(-1);
      if (last !== undefined) places.event = { restaurantId: last.restaurantId, sequence: last.sequence };
      return { differences: judgeSequence(events, { isFirst, isLast, keptSince }), isLast };
    },
  },
  {
    name: 'attempt',
    async go(tx, { places, keptSince, sizes }) {
      const part = await findStrayAttempts(tx, { after: places.attempt, limit: sizes.events });
      places.attempt = part.last ?? places.attempt;
      const differences = part.strays
        .filter(({ eventId }) => timeOfId(eventId) >= keptSince)
        .map(({ id, eventId, restaurantId }): Difference => {
          return { kind: 'attempt_without_event', subject: id, restaurantId, detail: `event ${eventId}` };
        });
      return { differences, isLast: part.count < sizes.events };
    },
  },
];
