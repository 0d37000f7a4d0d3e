// A deliberate mistake, for controls: the order is committed first, and its events and deliveries in a second
// transaction a moment later.
import { setTimeout as pause } from 'node:timers/promises';
import type { AppSetup } from '../../src/app.ts';
import { insertPlacedOrders, updateOrders } from '../../src/store/orders/writes.ts';

export function splitCommits(gapMs: number): NonNullable<AppSetup['parts']> {
  return {
    async insertPlaced(db, write) {
      const { placedIds } = await insertPlacedOrders(db, { ...write, events: [] });
      await pause(gapMs);
      const events = write.events.filter((event) => placedIds.has(event.orderId));
      const leased = await updateOrders(db, { ...write, orders: [], events, notes: [] });
      return { placedIds, ...leased };
    },
    async updateOrders(tx, write) {
      await updateOrders(tx, { ...write, events: [] });
      await tx.query('commit');
      await pause(gapMs);
      await tx.query('begin');
      return updateOrders(tx, { ...write, orders: [], notes: [] });
    },
  };
}
