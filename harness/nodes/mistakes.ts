// Guards taken away from a node on purpose, for controls: under the fault that such a guard is there for, whoever checks
// a run has to notice that it is gone.
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
  /** A commit of which nothing was heard is taken for made. */
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
  /** An order that exists already is taken in as another one. */
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
  /** What a node holds it goes on with, however long it was away and whoever has taken it over. */
  'outlived-lease': {
    spoil: ({ engine }) => {
      const ask = engine.nodeId.bind(engine);
      let firstId: string | null = null;
      engine.nodeId = () => (firstId ??= ask());
      engine.drop = () => engine.idle();
      // What was under way fails when the node comes round, and an endpoint that fails is given back what waits for it.
      const { adapt } = EndpointQueue.prototype;
      EndpointQueue.prototype.adapt = function adaptToSuccess(outcome): void {
        if (outcome.ok) adapt.call(this, outcome);
      };
    },
  },
  /** What was due when the clock was set back waits until it has caught up. */
  'clock-awaited': {
    spoil: ({ db }) => {
      const transaction = db.transaction.bind(db);
      db.transaction = (work) => transaction((tx) => work(deafTo('bring_forward_deliveries', tx)));
    },
  },
  /** A node that is told to stop is gone at once, whatever it has under way. */
  'abrupt-stop': {
    spoil: (app) => {
      app.stop = () => Promise.resolve();
    },
  },
  /** Acknowledged before it is on the disk. */
  unflushed: {
    plan: (setup) => {
      const url = new URL(setup.databaseUrl);
      url.searchParams.set('options', '-c synchronous_commit=off');
      return { ...setup, databaseUrl: url.href };
    },
  },
};

/** One statement changes nothing any more. */
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
