// Claims due deliveries for this node. One statement leases them all, and fails for all if one row cannot be read or
// written. The orders that cause the failure are then found by bisection and left out for a while.
import type { SetAside } from '../../domain/upkeep/set-aside.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import type { Platform } from '../../platform.ts';
import { claimDueDeliveries, leaseOrders, listDueOrders, type ClaimOptions } from '../../store/webhooks/claim.ts';
import { DatabaseUnavailable, type Database, type Queryable } from '../../store/database/database.ts';
import type { Delivery } from '../../store/webhooks/deliveries.ts';
import { runSplitting } from '../../store/database/split-batch.ts';
import { setDeliveriesAside } from './stuck-deliveries.ts';
import type { TargetCache } from '../client/targets.ts';

const LEFT_OUT_MS = MINUTE_MS;

export interface ClaimsDeps extends Pick<Platform, 'clock'> {
  db: Database;
  targets: Pick<TargetCache, 'refresh'>;
  setAside: SetAside;
}

export class Claims {
  #deps: ClaimsDeps;
  /** The ids of the deliveries of an order that this node has in memory. */
  #heldIdsOf: (orderId: string) => string[];
  /** Orders whose deliveries could not be leased; claims leave them out until the given time. */
  #leftOutUntilMs = new Map<string, number>();

  constructor(deps: ClaimsDeps, heldIdsOf: (orderId: string) => string[]) {
    this.#deps = deps;
    this.#heldIdsOf = heldIdsOf;
  }

  async claim(options: Omit<ClaimOptions, 'leftOut' | 'heldIdsOf'>): Promise<Delivery[]> {
    const countedOn: string[] = [];
    const heldIdsOf = (orderIds: readonly string[]): string[] => {
      const ids = orderIds.flatMap((id) => this.#heldIdsOf(id));
      countedOn.push(...ids);
      return ids;
    };
    const nowMs = this.#deps.clock.monotonicMs();
    for (const [id, untilMs] of this.#leftOutUntilMs) if (untilMs <= nowMs) this.#leftOutUntilMs.delete(id);
    const leased = await this.#claim({ ...options, heldIdsOf, leftOut: new Set(this.#leftOutUntilMs.keys()) });
    return countedOn.length === 0 ? leased : leased.map((delivery) => ({ ...delivery, countedOn }));
  }

  async #claim(claim: ClaimOptions): Promise<Delivery[]> {
    try {
      return await this.#lease((tx) => claimDueDeliveries(tx, claim));
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      return this.#leaseApart(claim);
    }
  }

  /** Refreshes the targets in the same transaction, so that they match the registrations at that moment. */
  #lease(lease: (tx: Queryable) => Promise<Delivery[]>): Promise<Delivery[]> {
    return this.#deps.db.transaction(async (tx) => {
      const due = await lease(tx);
      const restaurantIds = due.map((delivery) => delivery.restaurantId);
      if (due.length > 0) await this.#deps.targets.refresh(tx, restaurantIds);
      return due;
    });
  }

  async #leaseApart(claim: ClaimOptions): Promise<Delivery[]> {
    const leased: Delivery[] = [];
    const orderIds = [...new Set(await listDueOrders(this.#deps.db, claim))];
    const failures = await runSplitting(orderIds, async (some) => {
      const limit = claim.limit - leased.length;
      leased.push(...(await this.#lease((tx) => leaseOrders(tx, some, { ...claim, limit }))));
    });
    const untilMs = this.#deps.clock.monotonicMs() + LEFT_OUT_MS;
    for (const { item } of failures) this.#leftOutUntilMs.set(item, untilMs);
    const stuck = failures.map(({ item: orderId, error }) => ({ item: { orderId }, error }));
    await setDeliveriesAside(this.#deps.setAside, stuck);
    return leased;
  }
}
