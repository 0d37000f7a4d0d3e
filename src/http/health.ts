// Health checks for operators: is the service alive, and can it take orders now?
import { setTimeout as pause } from 'node:timers/promises';
import type { Queryable } from '../store/database/database.ts';
import { ok, type Answer } from './protocol/answer.ts';

export interface HealthDeps {
  db: Queryable;
  isStopping(): boolean;
}

const DATABASE_DEADLINE_MS = 1_000;

export function answerAlive(): Answer {
  return ok({ status: 'alive' });
}

export async function answerReady(deps: HealthDeps): Promise<Answer> {
  if (deps.isStopping()) return ok({ status: 'stopping' }, 503);
  const answers = await answersInTime(deps.db);
  return answers ? ok({ status: 'ready' }) : ok({ status: 'database unavailable' }, 503);
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
