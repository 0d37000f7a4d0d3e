// An integrator, a kitchen and a courier that retry every unacknowledged request, on any live node, until it is
// acknowledged. Acknowledgments go into the history.
import type { ChangeResult } from '../../src/actions/orders/change-order.ts';
import type { OrderState } from '../../src/domain/orders/order.ts';
import { createChance, type Chance } from '../chance.ts';
import type { Step } from './random-life.ts';
import type { AcknowledgedChange } from './loss-check.ts';
import type { NodeProcess } from '../nodes/node.ts';
import type { TestRestaurant } from '../service/service.ts';

export interface Load {
  /** Responses that no integrator should ever see. */
  complaints: string[];
  /** How many requests were retried because the node died or returned 503. */
  readonly repeats: number;
  stop(): Promise<void>;
}

export interface LoadOptions {
  seed: number;
  restaurant: Pick<TestRestaurant, 'restaurantId' | 'apiKey'>;
  courierId: string;
  /** Receives everything that was acknowledged. */
  history: {
    orders: { set(orderId: string, serviceOrderId: string): unknown };
    changes: { push(change: AcknowledgedChange): unknown };
  };
  posters: number;
  /** Resolves with a node that was alive a moment ago. */
  findNode(): Promise<Reachable>;
  /** Prefix of each order id; must be unique among the loads of one restaurant. */
  prefix?: string;
}

/** A node, or an object that forwards to one. */
export type Reachable = Pick<NodeProcess, 'post' | 'change'>;

const RESTAURANT = { role: 'restaurant' } as const;
/** The planner may have withdrawn the expired offer already. */
const OFFER_OVER = /^(This offer has expired|The order is not assigned to this courier)/;

export function startLoad(options: LoadOptions): Load {
  const { history } = options;
  const complaints: string[] = [];
  const stopping = new AbortController();
  let repeats = 0;
  let lastNumber = 0;

  async function insist<Result>(work: (node: Reachable) => Promise<Result | undefined>): Promise<Result> {
    for (;;) {
      const node = await options.findNode();
      try {
        const result = await work(node);
        if (result !== undefined) return result;
      } catch {
        // The node died during the request. The outcome is unknown, and retrying is safe.
      }
      repeats += 1;
    }
  }

  async function place(orderId: string): Promise<string> {
    let isFirst = true;
    return insist(async (node) => {
      const wasFirst = isFirst;
      isFirst = false;
      const answer = await node.post(options.restaurant, { orderId });
      if (answer.status === 503) return undefined;
      const text = await answer.text();
      const isExpected = answer.status === 201 || (answer.status === 200 && !wasFirst);
      if (!isExpected) complaints.push(`${orderId}: ${answer.status} ${text}`);
      return (JSON.parse(text) as { serviceOrderId: string }).serviceOrderId;
    });
  }

  async function change(serviceOrderId: string, step: Step, to: OrderState): Promise<void> {
    const give = (next: Step): Promise<ChangeResult> =>
      insist((node) => node.change({ scope: 'everything', orderId: serviceOrderId, ...next }));
    let result = await give(step);
    // A fault delayed the answer and the offer expired, which happens quickly on a fast clock: offer the order again.
    while (result.kind === 'refused' && OFFER_OVER.test(result.refusal.message ?? '')) {
      await give({ command: { name: 'assign', courierId: options.courierId }, actor: RESTAURANT });
      result = await give(step);
    }
    if (result.kind === 'refused') complaints.push(`${serviceOrderId} ${step.command.name}: ${result.refusal.message}`);
    else history.changes.push({ serviceOrderId, to });
  }

  async function work(chance: Chance): Promise<void> {
    while (!stopping.signal.aborted) {
      lastNumber += 1;
      const orderId = `${options.prefix ?? 'load'}-${lastNumber}`;
      const serviceOrderId = await place(orderId);
      history.orders.set(orderId, serviceOrderId);
      for (const { step, to } of lifeOf(chance, options.courierId)) await change(serviceOrderId, step, to);
    }
  }

  const working = Array.from({ length: options.posters }, (_, index) => work(createChance(options.seed + index)));
  return {
    complaints,
    get repeats() {
      return repeats;
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(working);
    },
  };
}

/** The steps of an order after VALIDATED, cut off at a random point. */
function lifeOf(chance: Chance, courierId: string): { step: Step; to: OrderState }[] {
  const courier = { role: 'courier', courierId } as const;
  const life: { step: Step; to: OrderState }[] = [
    { step: { command: { name: 'assign', courierId }, actor: RESTAURANT }, to: 'ASSIGNED' },
    { step: { command: { name: 'accept' }, actor: courier }, to: 'ACCEPTED' },
    { step: { command: { name: 'prepare' }, actor: RESTAURANT }, to: 'PREPARED' },
    { step: { command: { name: 'pick_up' }, actor: courier }, to: 'ON_DELIVERY' },
    { step: { command: { name: 'deliver' }, actor: courier }, to: 'DELIVERED' },
  ];
  const length = chance.below(life.length + 1);
  const cancellation = { reasonId: 'OTHER', by: 'Restaurant', text: 'Dropped' } as const;
  const canceled = {
    step: { command: { name: 'cancel', cancellation }, actor: RESTAURANT } as Step,
    to: 'CANCELED' as const,
  };
  return chance.isTrue(0.3) && length < life.length ? [...life.slice(0, length), canceled] : life.slice(0, length);
}
