import { deleteExpiredSignIns } from '../store/sessions.ts';
import type { AdministrationDeps } from './administration.ts';

/** Removes sessions, half-finished sign-ins and links that have run out. */
export function forgetSignIns(deps: Pick<AdministrationDeps, 'db' | 'clock'>): Promise<void> {
  return deleteExpiredSignIns(deps.db, deps.clock.now());
}
