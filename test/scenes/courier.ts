// A courier on duty whose orders are assigned by the test, so nothing depends on what a planner does and when.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Actor, Command } from '../../src/domain/orders/order.ts';
import type { BrowserPages } from '../browser/browser.ts';
import { sampleOrder } from './sample-order.ts';
import type { TestRestaurant, TestService } from '../../harness/service/service.ts';
import type { Placed } from './shop.ts';

export interface CourierScene {
  restaurant: TestRestaurant;
  courierId: string;
  open(theme?: 'light' | 'dark'): Promise<Page>;
  /** Places an order and offers it to the courier. */
  offer(): Promise<Placed>;
  /** Places an order that the courier has accepted, but not through an open page. */
  give(): Promise<Placed>;
  command(order: Placed, command: Command, actor?: Actor): Promise<void>;
}

export async function openCourierScene(
  { service, visitAs }: { service: TestService; visitAs: BrowserPages['visitAs'] },
  name = 'Deniz Kaya',
): Promise<CourierScene> {
  const restaurant = await service.addRestaurant({ autoApprove: true });
  const courierId = await service.addCourier(name);
  const command: CourierScene['command'] = async ({ serviceOrderId }, given, actor = { role: 'restaurant' }) => {
    const result = await service.app.changer.change({
      scope: 'everything',
      orderId: serviceOrderId,
      command: given,
      actor,
    });
    expect(result).toMatchObject({ kind: 'changed' });
  };
  const offer = async (): Promise<Placed> => {
    const placed = (await (await service.post(restaurant, sampleOrder())).json()) as Placed;
    await command(placed, { name: 'assign', courierId });
    return placed;
  };
  return {
    restaurant,
    courierId,
    open: (theme = 'light') => visitAs(service, { role: 'courier', courier: courierId, screen: 'phone', theme }),
    offer,
    async give() {
      const placed = await offer();
      await command(placed, { name: 'accept' }, { role: 'courier', courierId });
      return placed;
    },
    command,
  };
}

export const CANCEL_BY_RESTAURANT: Command = {
  name: 'cancel',
  cancellation: { reasonId: 'OUT_OF_STOCK', by: 'Restaurant', text: 'No more burrata' },
};
