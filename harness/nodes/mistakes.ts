// Safeguards that are removed from a node on purpose, for controls: under the fault that a safeguard handles, the
// checks of a run must detect that it is missing.
import { buildApp, type App, type AppSetup } from '../../src/app.ts';
import { DatabaseUnavailable, type Queryable } from '../../src/store/database/database.ts';
import { insertPlacedOrders } from '../../src/store/orders/writes.ts';
import { EndpointQueue } from '../../src/webhooks/queue/endpoint-queue.ts';

export type NodeMistake =
  | 'unknown-is-done'
  | 'repeats-are-new'
  | 'outlived-lease'
  | 'clock-awaited'
  | 'abrupt-stop'
  | 'unflushed';

interface Way {
  plan?(setup: AppSetup): AppSetup;
  spoil?(app: App): void;
}

const WAYS: Record<NodeMistake, Way> = {
  /** A commit with an unknown outcome is treated as successful. */
  'unknown-is-done': {
    plan: (setup) => ({
      ...setup,
      parts: {
        insertPlaced: async (db, write) => {
          try {
            return await insertPlacedOrders(db, write);
          } catch (error) {
            if (!(error instanceof DatabaseUnavailable)) throw error;
            const placedIds = new Set(write.orders.map(({ order }) => order.id));
            return { placedIds, leasedEventIds: new Set(), hasUnleased: true };
          }
        },
      },
    }),
  },
  /** A repeated order is stored as a new one instead of being recognized as a duplicate. */
  'repeats-are-new': {
    plan: (setup) => ({
      ...setup,
      parts: {
        insertPlaced: async (db, write) => {
          const first = await insertPlacedOrders(db, write);
          const repeated = write.orders.filter(({ order }) => !first.placedIds.has(order.id));
          if (repeated.length === 0) return first;
          const orders = repeated.map((row) => ({ ...row, providerOrderId: `${row.providerOrderId} ${row.order.id}` }));
          const ids = new Set(orders.map(({ order }) => order.id));
          const events = write.events.filter(({ orderId }) => ids.has(orderId));
          const again = await insertPlacedOrders(db, { ...write, orders, events });
          return {
            placedIds: first.placedIds.union(again.placedIds),
            leasedEventIds: first.leasedEventIds.union(again.leasedEventIds),
            hasUnleased: first.hasUnleased || again.hasUnleased,
          };
        },
      },
    }),
  },
  /** A node keeps working on its leases after they expired, even if another node has taken them over. */
  'outlived-lease': {
    spoil: ({ engine }) => {
      const ask = engine.nodeId.bind(engine);
      let firstId: string | null = null;
      engine.nodeId = () => (firstId ??= ask());
      engine.drop = () => engine.idle();
      // After a freeze, requests in flight fail, and the node would release its leases on a failing endpoint.
      const { adapt } = EndpointQueue.prototype;
      EndpointQueue.prototype.adapt = function adaptToSuccess(outcome): void {
        if (outcome.ok) adapt.call(this, outcome);
      };
    },
  },
  /** After the clock is set back, due deliveries wait until it has caught up. */
  'clock-awaited': {
    spoil: ({ db }) => {
      const transaction = db.transaction.bind(db);
      db.transaction = (work) => transaction((tx) => work(deafTo('bring_forward_deliveries', tx)));
    },
  },
  /** A node that is asked to stop exits immediately instead of draining. */
  'abrupt-stop': {
    spoil: (app) => {
      app.stop = () => Promise.resolve();
    },
  },
  /** Commits are acknowledged before they are on disk. */
  unflushed: {
    plan: (setup) => {
      const url = new URL(setup.databaseUrl);
      url.searchParams.set('options', '-c synchronous_commit=off');
      return { ...setup, databaseUrl: url.href };
    },
  },
};

/** Turns the named statement into a no-op. */
function deafTo(name: string, tx: Queryable): Queryable {
  return {
    query: (statement, values) =>
      typeof statement === 'object' && statement.name === name ? Promise.resolve([]) : tx.query(statement, values),
  };
}

export function buildUnguarded(setup: AppSetup, mistake: NodeMistake): App {
  const way = WAYS[mistake];
  const app = buildApp(way.plan?.(setup) ?? setup);
  way.spoil?.(app);
  return app;
}
