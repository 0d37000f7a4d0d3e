// Sets aside what a worker can't process: one bad order, courier or restaurant is reported, and all other work
// continues. A problem is logged when it is new, and saved again for as long as it lasts.
import {
  describeError,
  REPORT_INTERVAL_MS,
  TROUBLE_OVER_MS,
  type SetAside,
  type SubjectKind,
  type Trouble,
  type Work,
} from '../../domain/upkeep/set-aside.ts';
import type { Platform } from '../../platform.ts';
import { DatabaseUnavailable, type Database } from '../../store/database/database.ts';
import { saveTroubles } from '../../store/upkeep/set-aside.ts';

interface Known {
  reason: string;
  reportedAtMs: number;
}

export function createSetAside(deps: Pick<Platform, 'clock' | 'log'> & { db: Database }): SetAside {
  const known = new Map<string, Known>();
  return {
    async report(work, troubles) {
      const nowMs = deps.clock.monotonicMs();
      const due = troubles.filter((trouble) => noteTrouble(known, { work, trouble, nowMs }, deps));
      if (due.length === 0) return;
      forgetOld(known, nowMs);
      try {
        await saveTroubles(deps.db, { work, troubles: due, now: deps.clock.now() });
      } catch (error) {
        for (const { kind, id } of due) known.delete(keyOf(work, kind, id));
        deps.log.warn({ event: 'set_aside.not_saved', work, reason: describeError(error) });
      }
    },
  };
}

/** Whether the problem must be saved: it is new, or was last saved a while ago. */
function noteTrouble(
  known: Map<string, Known>,
  { work, trouble, nowMs }: { work: Work; trouble: Trouble; nowMs: number },
  { log }: Pick<Platform, 'log'>,
): boolean {
  const { kind, id, reason } = trouble;
  const key = keyOf(work, kind, id);
  const before = known.get(key);
  if (before?.reason === reason && nowMs - before.reportedAtMs < REPORT_INTERVAL_MS) return false;
  known.set(key, { reason, reportedAtMs: nowMs });
  if (before?.reason !== reason) log.error({ event: 'set_aside', work, kind, id, reason });
  return true;
}

function forgetOld(known: Map<string, Known>, nowMs: number): void {
  for (const [key, { reportedAtMs }] of known) if (nowMs - reportedAtMs >= TROUBLE_OVER_MS) known.delete(key);
}

function keyOf(work: Work, kind: SubjectKind, id: string): string {
  return `${work} ${kind} ${id}`;
}

export interface Outcome<Item, Result> {
  done: Result[];
  failed: { item: Item; error: unknown }[];
}

/** Runs all items concurrently. Only an unavailable database, which no item caused, fails the whole call. */
export async function runEach<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Outcome<Item, Result>> {
  const outcome: Outcome<Item, Result> = { done: [], failed: [] };
  const settled = await Promise.allSettled(items.map((item) => run(item)));
  for (const [index, result] of settled.entries()) {
    const item = items[index];
    if (result.status === 'fulfilled') outcome.done.push(result.value);
    else if (result.reason instanceof DatabaseUnavailable) throw result.reason;
    else if (item !== undefined) outcome.failed.push({ item, error: result.reason });
  }
  return outcome;
}
