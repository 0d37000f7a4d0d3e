import { recordChange } from '../../store/people/audit-log.ts';
import { requestReplan as markAreas } from '../../store/planning/areas.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';

/** Requests an immediate replan of every area, even if nothing has changed. */
export async function requestReplan(deps: AdministrationDeps, request: ByActor): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await markAreas(tx);
    await recordChange(tx, {
      at: deps.clock.now(),
      actor: request.actor,
      restaurantId: null,
      action: 'plan.requested',
      detail: {},
    });
  });
}
