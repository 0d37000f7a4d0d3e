// Gives leases back: of what this node does not send after all, and of what it does not know of.
import type { Platform } from '../../platform.ts';
import type { Database } from '../../store/database/database.ts';
import { listLeases, releaseDeliveries, type Delivery } from '../../store/webhooks/deliveries.ts';

export interface LeasesDeps extends Pick<Platform, 'log'> {
  db: Database;
  /** Whether this node has it in memory. */
  isHeld(delivery: Pick<Delivery, 'eventId' | 'orderId'>): boolean;
}

export class Leases {
  #deps: LeasesDeps;
  #returned: Delivery[] = [];
  /** Those, and the ones that a statement is on its way for. */
  #onTheirWay = new Set<string>();
  #isReturning = false;
  #suspects = new Set<string>();

  constructor(deps: LeasesDeps) {
    this.#deps = deps;
  }

  /**
   * One statement at a time, however many endpoints fail at once: what comes meanwhile goes with the next. Otherwise
   * they would take all connections to the database, and whoever else needs one would wait.
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
        const eventIds = deliveries.map(({ eventId }) => eventId);
        // Should it not succeed, the sweep frees them.
        await releaseDeliveries(this.#deps.db, nodeId, eventIds).catch(() => undefined);
        for (const eventId of eventIds) this.#onTheirWay.delete(eventId);
      }
    }
    this.#isReturning = false;
  }

  /**
   * Frees what is leased to this node without being in its memory: a commit whose answer was lost leaves such
   * deliveries behind. Freed only when seen twice, because a fresh commit may be on its way into memory. What is being
   * given back is left alone: freed here and claimed again, it would lose its new lease to the statement that is late.
   * Says how many.
   */
  async sweep(nodeId: string): Promise<number> {
    const leases = await listLeases(this.#deps.db, nodeId);
    const strangers = leases
      .filter((lease) => !this.#deps.isHeld(lease) && !this.#onTheirWay.has(lease.eventId))
      .map((lease) => lease.eventId);
    const stranded = strangers.filter((id) => this.#suspects.has(id));
    this.#suspects = new Set(strangers);
    if (stranded.length === 0) return 0;
    this.#deps.log.warn({ event: 'deliveries.recovered', count: stranded.length });
    await releaseDeliveries(this.#deps.db, nodeId, stranded);
    return stranded.length;
  }
}
