import { deleteExpiredSignIns } from '../../store/people/sessions.ts';
import { deleteExpiredBudgets } from '../../store/people/sign-in-budgets.ts';
import type { AdministrationDeps } from '../administration.ts';

/** Removes sessions, unfinished sign-ins, links and budgets of attempts that have expired. */
export async function cleanUpSignIns(deps: Pick<AdministrationDeps, 'db' | 'clock'>): Promise<void> {
  await deleteExpiredSignIns(deps.db, deps.clock.now());
  await deleteExpiredBudgets(deps.db);
}
