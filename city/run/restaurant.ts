// An order from the restaurant's side: the restaurant's system posts it, a cook approves it, and the kitchen prepares
// it and marks it prepared, unless the restaurant cancels it first.
import { ordersApi, type ChangeAnswer } from '../../src/contract/panel/orders/orders.ts';
import { postOrder } from '../../harness/nodes/node.ts';
import type { PanelAnswer } from '../../harness/service/panel-client.ts';
import type { CancelReasonId } from '../../src/domain/orders/cancellation.ts';
import type { CityOrder } from '../day/day.ts';
import type { StagedRestaurant, World } from './world.ts';

export async function handleOrder(world: World, order: CityOrder): Promise<void> {
  const { clock, day, opensAt } = world;
  const restaurant = world.restaurants[order.restaurant];
  const approval = day.restaurants[order.restaurant]?.approval;
  if (restaurant === undefined || approval === undefined) throw new Error(`${order.id} has no restaurant`);
  const placedAt = opensAt + order.placedAtMs;
  await clock.until(placedAt);
  const serviceOrderId = await place(world, order, restaurant);
  if (serviceOrderId === undefined) return;
  let approvedAt = placedAt;
  const kitchen = new Kitchen(world, { order, restaurant, serviceOrderId });
  if (approval === 'cook') {
    approvedAt += order.approvedAfterMs;
    await clock.until(approvedAt);
    await kitchen.press('approve');
  }
  const { cancellation } = order;
  if (cancellation?.by === 'restaurant') {
    await clock.until(approvedAt + cancellation.afterMs);
    return kitchen.cancel(cancellation.reasonId);
  }
  await clock.until(approvedAt + order.cookingMs);
  await kitchen.press('prepare');
}

async function place(world: World, order: CityOrder, restaurant: StagedRestaurant): Promise<string | undefined> {
  const { ledger } = world;
  const about = { request: 'order', orderId: order.id } as const;
  // The wait includes reading the response body.
  const answer = await ledger.ask(about, async () => {
    const response = await postOrder(world.address, restaurant, describe(order));
    return { status: response.status, body: (await response.json()) as { serviceOrderId?: string } };
  });
  const { serviceOrderId } = answer.body;
  if (serviceOrderId === undefined) {
    world.write({ kind: 'complaint', text: `order ${order.id} was answered with ${answer.status}` });
    return undefined;
  }
  world.placed.set(serviceOrderId, order);
  world.write({ kind: 'placed', restaurant: restaurant.restaurantId, orderId: order.id, serviceOrderId });
  return serviceOrderId;
}

function describe(order: CityOrder): object {
  return {
    orderId: order.id,
    displayId: order.id.slice(-4),
    channel: 'Website',
    dropoff: { location: order.dropoff, address: { line1: `Door of ${order.id}`, city: 'İstanbul' } },
    customer: { name: `Customer of ${order.id}`, phone: '+905325550100' },
    items: [{ name: 'Dish of the day', quantity: order.bags }],
    package: { count: order.bags },
    timing: { prepMinutes: order.prepMinutes },
  };
}

class Kitchen {
  readonly #world: World;
  readonly #at: { order: CityOrder; restaurant: StagedRestaurant; serviceOrderId: string };

  constructor(world: World, at: { order: CityOrder; restaurant: StagedRestaurant; serviceOrderId: string }) {
    this.#world = world;
    this.#at = at;
  }

  async press(command: 'approve' | 'prepare'): Promise<void> {
    const { serviceOrderId: orderId, restaurant } = this.#at;
    await this.#send(() => restaurant.browser.call(ordersApi.command, { params: { orderId }, body: { command } }));
  }

  async cancel(cancelReasonId: CancelReasonId): Promise<void> {
    const { serviceOrderId: orderId, restaurant } = this.#at;
    await this.#send(() =>
      restaurant.browser.call(ordersApi.cancel, { params: { orderId }, body: { cancelReasonId } }),
    );
  }

  /** A refusal is normal: the order may have been canceled in the meantime. */
  async #send(call: () => Promise<PanelAnswer>): Promise<void> {
    const { order, serviceOrderId } = this.#at;
    const about = { request: 'kitchen', orderId: order.id } as const;
    const answer = await this.#world.ledger.ask(about, call);
    if (answer.status !== 200) return;
    const changed = answer.body as ChangeAnswer;
    if (changed.result === 'changed') {
      this.#world.write({ kind: 'changed', serviceOrderId, to: changed.order.state });
    }
  }
}
