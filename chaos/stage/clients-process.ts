// The integrators, kitchens and couriers, in a separate process. They retry each request at any node until it is
// acknowledged, and log every acknowledged one.
import { setTimeout as pause } from 'node:timers/promises';
import { createChance } from '../../harness/chance.ts';
import { startLoad, type Reachable } from '../../harness/load/load.ts';
import { postCommand, postOrder } from '../../harness/nodes/node.ts';
import { openHistory } from '../../harness/history.ts';

export interface ClientsSettings {
  file: string;
  seed: number;
  /** One per node, through the proxy in front of it. */
  nodes: { address: string; commandAddress: string }[];
  restaurants: { restaurantId: string; apiKey: string }[];
  courierId: string;
  postersPerRestaurant: number;
}

/** After this time without an answer, a client treats the outcome as unknown. */
const PATIENCE_MS = 8_000;
const PAUSE_MS = 40;

const settings = JSON.parse(process.env['WAYBILL_CHAOS_CLIENTS'] ?? '') as ClientsSettings;
const write = openHistory(settings.file);
const chance = createChance(settings.seed);

function within<Result>(work: Promise<Result>): Promise<Result> {
  const tooLate = pause(PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error('No answer');
  });
  return Promise.race([work, tooLate]);
}

async function findNode(): Promise<Reachable> {
  await pause(chance.below(PAUSE_MS));
  const node = chance.pick(settings.nodes);
  return {
    post: (restaurant, body) => within(readWhole(postOrder(node.address, restaurant, body))),
    change: (request) => within(postCommand(node.commandAddress, request)),
  };
}

/** Reads the whole body first, because a connection may be cut in the middle of an answer. */
async function readWhole(asked: Promise<Response>): Promise<Response> {
  const answer = await asked;
  return new Response(await answer.text(), { status: answer.status });
}

const loads = settings.restaurants.map((restaurant, index) =>
  startLoad({
    seed: settings.seed + 1_000 * index,
    restaurant,
    courierId: settings.courierId,
    posters: settings.postersPerRestaurant,
    prefix: `chaos-${index}`,
    findNode,
    history: {
      orders: {
        set: (orderId, serviceOrderId) =>
          write({ kind: 'placed', restaurant: restaurant.restaurantId, orderId, serviceOrderId }),
      },
      changes: { push: ({ serviceOrderId, to }) => write({ kind: 'changed', serviceOrderId, to }) },
    },
  }),
);

async function finish(): Promise<void> {
  await Promise.all(loads.map((load) => load.stop()));
  for (const load of loads) for (const text of load.complaints) write({ kind: 'complaint', text });
  process.send?.({ repeats: loads.reduce((sum, load) => sum + load.repeats, 0) });
  process.disconnect();
}

process.on('message', () => void finish());
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
