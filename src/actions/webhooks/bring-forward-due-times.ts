// When the machine's clock is set back, what is due lies in the future all of a sudden: a webhook that was committed a
// moment ago would wait until the clock has caught up. Here it is noticed, and such deliveries are brought forward.
import { WAITS_MS } from '../../domain/webhooks/retry.ts';
import { SECOND_MS, type Instant } from '../../domain/time.ts';
import type { Platform } from '../../platform.ts';
import type { Database } from '../../store/database/database.ts';
import { notifyDueDeliveries } from '../../store/webhooks/deliveries.ts';
import { bringForwardDeliveries } from '../../store/webhooks/due-times.ts';

type Deps = Pick<Platform, 'clock' | 'log'> & { db: Database };

/** A step back by less than this goes unnoticed, and delays nothing by more. */
export const CLOCK_LOOK_MS = SECOND_MS;
/** Again and again after a step: a commit that has read the clock before it may take minutes until it is there. */
const MENDS_AFTER_MS = [0, 2, 5, 10, 20, 60, 120].map((seconds) => seconds * SECOND_MS);
/** For so long a statement may be under way that has read the clock before, and takes for due what is not. */
const LONGEST_STATEMENT_MS = 15 * SECOND_MS;
/** So that a statement ends in time however many deliveries wait. */
const MOST_AT_ONCE = 5_000;

/** To be called every `CLOCK_LOOK_MS`. Begins as after a step: perhaps nobody lived to see it. */
export function createDueTimeMending(deps: Deps): () => Promise<void> {
  let lastSeen: Instant | undefined;
  let steppedAtMs = 0;
  let mended = 0;
  return async () => {
    const now = deps.clock.now();
    const nowMs = deps.clock.monotonicMs();
    if (lastSeen === undefined || now < lastSeen) {
      if (lastSeen !== undefined) deps.log.warn({ event: 'clock.set_back', byMs: lastSeen - now });
      steppedAtMs = nowMs;
      mended = 0;
    }
    lastSeen = now;
    const sinceMs = nowMs - steppedAtMs;
    if (sinceMs < (MENDS_AFTER_MS[mended] ?? Number.POSITIVE_INFINITY)) return;
    // What was read on the way was seen, too: a clock set forward and back again between two looks is noticed by it.
    const readNow = (): Instant => (lastSeen = deps.clock.now());
    await mendDueTimes(deps, { readNow, hasRetries: sinceMs >= LONGEST_STATEMENT_MS });
    mended = MENDS_AFTER_MS.filter((afterMs) => afterMs <= sinceMs).length;
  };
}

/**
 * What has not failed is due. What has failed waits for one step of the ladder from now, and a little longer: it may
 * have failed after this clock was read. Never less than it should, because it failed before it was found.
 */
async function mendDueTimes(
  deps: Deps,
  { readNow, hasRetries }: { readNow(this: void): Instant; hasRetries: boolean },
): Promise<void> {
  const waitsMs = hasRetries ? WAITS_MS.map((waitMs) => waitMs + LONGEST_STATEMENT_MS) : null;
  let total = 0;
  for (let count = MOST_AT_ONCE; count >= MOST_AT_ONCE; total += count) {
    count = await bringForwardDeliveries(deps.db, { readNow, waitsMs, limit: MOST_AT_ONCE });
  }
  if (total === 0) return;
  deps.log.warn({ event: 'deliveries.brought_forward', count: total });
  await notifyDueDeliveries(deps.db);
}
