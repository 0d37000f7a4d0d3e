// Puts a plan into effect: records it, sends its commands and raises its alarms. An order for which one of these fails
// is set aside; the others still go through.
import type { ChangeRequest, OrderChanger } from '../../actions/orders/change-order.ts';
import { runEach } from '../../actions/upkeep/set-aside.ts';
import { describeError, type SetAside } from '../../domain/upkeep/set-aside.ts';
import { MINUTE_MS, type Instant } from '../../domain/time.ts';
import type { Platform } from '../../platform.ts';
import { DatabaseUnavailable, type Database } from '../../store/database/database.ts';
import { setPlanningAlarms } from '../../store/planning/alarms.ts';
import { recordPlan, saveOrderPlans } from '../../store/planning/plans.ts';
import { runSplitting, type Failure } from '../../store/database/split-batch.ts';
import type { PlannedArea } from './updates.ts';

/** An order whose command failed gets no further commands for this long. */
const STUCK_MS = MINUTE_MS;

export interface AreaEffectsDeps extends Pick<Platform, 'clock' | 'log'> {
  db: Database;
  changer: OrderChanger;
  setAside: SetAside;
}

type PlanRecord = Parameters<typeof recordPlan>[2];

export class AreaEffects {
  readonly #deps: AreaEffectsDeps;
  readonly #stuckUntilMs = new Map<string, number>();

  constructor(deps: AreaEffectsDeps) {
    this.#deps = deps;
  }

  /** Orders with a recently failed command. */
  listStuck(): string[] {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const [id, untilMs] of this.#stuckUntilMs) if (untilMs <= nowMs) this.#stuckUntilMs.delete(id);
    return [...this.#stuckUntilMs.keys()];
  }

  async carryOut(requests: readonly ChangeRequest[]): Promise<void> {
    const stuck = new Set(this.listStuck());
    const possible = requests.filter(({ orderId }) => !stuck.has(orderId));
    const { failed } = await runEach(possible, (request) => this.#deps.changer.change(request));
    const untilMs = this.#deps.clock.monotonicMs() + STUCK_MS;
    for (const { item } of failed) this.#stuckUntilMs.set(item.orderId, untilMs);
    await this.#report(failed.map(({ item, error }) => ({ item: item.orderId, error })));
  }

  async record(areaId: string, plan: PlanRecord): Promise<void> {
    const { db } = this.#deps;
    try {
      await recordPlan(db, areaId, plan);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      const failures = await runSplitting(plan.news, (some) => saveOrderPlans(db, some, plan.at));
      await recordPlan(db, areaId, { ...plan, news: [] });
      await this.#report(failures.map(({ item, error: reason }) => ({ item: item.orderId, error: reason })));
    }
  }

  async raise({ orderIds, raised }: NonNullable<PlannedArea['alarms']>, now: Instant): Promise<void> {
    const { db, log } = this.#deps;
    const failures = await runSplitting(orderIds, async (some) => {
      const alarms = raised.filter(({ orderId }) => some.includes(orderId));
      for (const alarm of await setPlanningAlarms(db, { orderIds: some, alarms, now })) {
        log.warn({ event: 'plan.alarm', ...alarm });
      }
    });
    await this.#report(failures);
  }

  #report(failures: readonly Failure<string>[]): Promise<void> {
    const troubles = failures.map(({ item, error }) => {
      return { kind: 'order', id: item, reason: describeError(error) } as const;
    });
    return this.#deps.setAside.report('planning', troubles);
  }
}
