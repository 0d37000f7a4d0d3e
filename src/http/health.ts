// Health checks for operators: is the service alive, and can it take orders now?
import { setTimeout as pause } from 'node:timers/promises';
import type { CommitReadiness } from '../actions/upkeep/commit-readiness.ts';
import type { Queryable } from '../store/database/database.ts';
import { ok, type Answer } from './protocol/answer.ts';

export interface HealthDeps {
  db: Queryable;
  readiness: Pick<CommitReadiness, 'state'>;
  isStopping(): boolean;
}

const DATABASE_DEADLINE_MS = 1_000;

export function answerAlive(): Answer {
  return ok({ status: 'alive' });
}

export async function answerReady(deps: HealthDeps): Promise<Answer> {
  if (deps.isStopping()) return unready('stopping', 'This node is stopping');
  const state = deps.readiness.state();
  if (!state.isReady) return unready('database unavailable', state.reason);
  // One failure may be a lock that was held for a moment, so it alone does not take a node out of service.
  if (state.isDoubtful && !(await answersInTime(deps.db))) {
    return unready('database unavailable', 'The database does not answer');
  }
  return ok({ status: 'ready' });
}

function unready(status: string, reason: string): Answer {
  return { ...ok({ status, reason }, 503), headers: { 'retry-after': '1' } };
}

async function answersInTime(db: Queryable): Promise<boolean> {
  const asked = db.query('select 1').then(
    () => true,
    () => false,
  );
  const deadline = new AbortController();
  const late = pause(DATABASE_DEADLINE_MS, false, { signal: deadline.signal, ref: false }).catch(() => false);
  try {
    return await Promise.race([asked, late]);
  } finally {
    deadline.abort();
  }
}
