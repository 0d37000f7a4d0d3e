// Returns leases: those of deliveries that this node will not send, and those that it has no record of.
import type { SetAside } from '../../domain/upkeep/set-aside.ts';
import type { Platform } from '../../platform.ts';
import { DatabaseUnavailable, type Database } from '../../store/database/database.ts';
import {
  listForgottenHeld,
  listLeases,
  releaseDeliveries,
  releaseForgottenHeld,
  releaseHeldAmong,
  type Delivery,
  type LeasedDelivery,
} from '../../store/webhooks/deliveries.ts';
import { runSplitting } from '../../store/database/split-batch.ts';
import { setDeliveriesAside } from './stuck-deliveries.ts';

export interface LeasesDeps extends Pick<Platform, 'clock' | 'log'> {
  db: Database;
  setAside: SetAside;
  /** Whether this node has the delivery in memory. */
  isHeld(delivery: LeasedDelivery): boolean;
}

export class Leases {
  #deps: LeasesDeps;
  #returned: Delivery[] = [];
  /** Those in `#returned`, and those whose release statement is running. */
  #onTheirWay = new Set<string>();
  #isReturning = false;
  #suspects = new Set<string>();

  constructor(deps: LeasesDeps) {
    this.#deps = deps;
  }

  /**
   * Runs one statement at a time, however many endpoints fail at the same moment; later ones join the next statement.
   * Otherwise they would take all database connections and make everything else wait.
   */
  giveBack(deliveries: readonly Delivery[]): void {
    this.#returned.push(...deliveries);
    for (const { eventId } of deliveries) this.#onTheirWay.add(eventId);
    if (!this.#isReturning) void this.#return();
  }

  async #return(): Promise<void> {
    this.#isReturning = true;
    while (this.#returned.length > 0) {
      for (const [nodeId, deliveries] of Map.groupBy(this.#returned.splice(0), ({ leasedBy }) => leasedBy)) {
        // If this fails, the sweep frees them.
        await this.#release(nodeId, deliveries).catch(() => undefined);
        for (const { eventId } of deliveries) this.#onTheirWay.delete(eventId);
      }
    }
    this.#isReturning = false;
  }

  /**
   * Frees deliveries that are leased to this node but not in its memory; a commit whose answer was lost leaves such
   * deliveries behind. Frees them only when seen twice, because a fresh commit may not have reached memory yet. Skips
   * deliveries that are being returned: freed here and claimed again, they would lose their new lease to the late
   * release statement. Returns how many were freed.
   */
  async sweep(nodeId: string): Promise<number> {
    const leases = await listLeases(this.#deps.db, nodeId);
    const strangers = leases.filter((lease) => !this.#deps.isHeld(lease) && !this.#onTheirWay.has(lease.eventId));
    const stranded = strangers.filter(({ eventId }) => this.#suspects.has(eventId));
    this.#suspects = new Set(strangers.map(({ eventId }) => eventId));
    if (stranded.length === 0) return 0;
    const count = stranded.length - (await this.#release(nodeId, stranded));
    if (count > 0) this.#deps.log.warn({ event: 'deliveries.recovered', count });
    return count;
  }

  /** Returns how many could not be released. */
  async #release(nodeId: string, leases: readonly LeasedDelivery[]): Promise<number> {
    const { db, setAside } = this.#deps;
    const failures = await runSplitting(leases, (some) => releaseDeliveries(db, nodeId, some.map(idOf)));
    await setDeliveriesAside(setAside, failures);
    return failures.length;
  }

  /** Makes due the deliveries that were created as held while their endpoint was being opened. */
  async releaseForgotten(): Promise<void> {
    const { db, clock, setAside } = this.#deps;
    const now = clock.now();
    try {
      await releaseForgottenHeld(db, now);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      const held = await listForgottenHeld(db);
      await setDeliveriesAside(setAside, await runSplitting(held, (some) => releaseHeldAmong(db, some.map(idOf), now)));
    }
  }
}

function idOf({ eventId }: LeasedDelivery): string {
  return eventId;
}
