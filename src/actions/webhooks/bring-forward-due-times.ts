// After the machine's clock is set back, existing due times lie in the future: a webhook committed a moment ago would
// wait until the clock has caught up. This detects the step and brings such deliveries forward.
import { WAITS_MS } from '../../domain/webhooks/retry.ts';
import { SECOND_MS, type Instant } from '../../domain/time.ts';
import type { Platform } from '../../platform.ts';
import type { Database } from '../../store/database/database.ts';
import { notifyDueDeliveries } from '../../store/webhooks/deliveries.ts';
import { bringForwardDeliveries } from '../../store/webhooks/due-times.ts';

type Deps = Pick<Platform, 'clock' | 'log'> & { db: Database };

/** How often the clock is checked. A smaller step back may go undetected, but delays nothing by more than this. */
export const CLOCK_CHECK_MS = SECOND_MS;
/** Repeated after a step: a commit that read the clock before the step may take minutes to become visible. */
const REPAIRS_AFTER_MS = [0, 2, 5, 10, 20, 60, 120].map((seconds) => seconds * SECOND_MS);
/** How long a statement that read the clock before the step may keep running and treat future deliveries as due. */
const MAX_STATEMENT_MS = 15 * SECOND_MS;
/** Bounds the duration of a statement, however large the backlog is. */
const MAX_CONCURRENT = 5_000;

/** Call every `CLOCK_CHECK_MS`. The first call acts as after a step, because one may have happened before the start. */
export function createDueTimeCheck(deps: Deps): () => Promise<void> {
  let lastSeen: Instant | undefined;
  let steppedAtMs = 0;
  let repaired = 0;
  return async () => {
    const now = deps.clock.now();
    const nowMs = deps.clock.monotonicMs();
    if (lastSeen === undefined || now < lastSeen) {
      if (lastSeen !== undefined) deps.log.warn({ event: 'clock.set_back', byMs: lastSeen - now });
      steppedAtMs = nowMs;
      repaired = 0;
    }
    lastSeen = now;
    const sinceMs = nowMs - steppedAtMs;
    if (sinceMs < (REPAIRS_AFTER_MS[repaired] ?? Number.POSITIVE_INFINITY)) return;
    // Remember every clock reading: this detects a clock that is set forward and back again between two checks.
    const readNow = (): Instant => (lastSeen = deps.clock.now());
    await repairDueTimes(deps, { readNow, hasRetries: sinceMs >= MAX_STATEMENT_MS });
    repaired = REPAIRS_AFTER_MS.filter((afterMs) => afterMs <= sinceMs).length;
  };
}

/**
 * Deliveries without failures become due now. Failed ones wait their retry delay from now and a little longer, as they
 * may have failed after this clock reading. The delay is never too short: they failed before they were found.
 */
async function repairDueTimes(
  deps: Deps,
  { readNow, hasRetries }: { readNow(this: void): Instant; hasRetries: boolean },
): Promise<void> {
  const waitsMs = hasRetries ? WAITS_MS.map((waitMs) => waitMs + MAX_STATEMENT_MS) : null;
  let total = 0;
  for (let count = MAX_CONCURRENT; count >= MAX_CONCURRENT; total += count) {
    count = await bringForwardDeliveries(deps.db, { readNow, waitsMs, limit: MAX_CONCURRENT });
  }
  if (total === 0) return;
  deps.log.warn({ event: 'deliveries.brought_forward', count: total });
  await notifyDueDeliveries(deps.db);
}
