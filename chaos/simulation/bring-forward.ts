// The model of `bring_forward_deliveries`, the statement in src/store/webhooks/due-times.ts.
import type { Mistake } from './mistakes.ts';
import type { StoredDeliveries } from './claim-rules.ts';
import { texts } from './statement-values.ts';

export function bringForward(
  store: Pick<StoredDeliveries, 'deliveries'>,
  mistakes: ReadonlySet<Mistake>,
  [nowText, waits]: readonly unknown[],
): number {
  if (mistakes.has('clock-awaited')) return 0;
  const now = Date.parse(String(nowText));
  const waitsMs = waits === null ? null : texts(waits).map(Number);
  let count = 0;
  for (const row of store.deliveries.values()) {
    const isRetry = row.failures > 0 && !mistakes.has('ladder-dropped');
    if (isRetry && waitsMs === null) continue;
    const waitMs = isRetry ? (waitsMs?.[Math.min(row.failures, waitsMs.length) - 1] ?? 0) : 0;
    if (row.dueAt === null || row.dueAt <= now + waitMs) continue;
    row.dueAt = now + waitMs;
    count += 1;
  }
  return count;
}
