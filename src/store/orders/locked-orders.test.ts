import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import type { Cancellation } from '../../domain/orders/cancellation.ts';
import { STATES, type Order } from '../../domain/orders/order.ts';
import { newOrder } from '../../domain/orders/placing.ts';
import type { Instant } from '../../domain/time.ts';
import { createPlatform } from '../../platform.ts';
import { openDatabase, type Database } from '../database/database.ts';
import { lockOrders } from './locked-orders.ts';
import { insertPlacedOrders, takeOrderNumbers, updateOrders } from './writes.ts';

const { newId } = createPlatform();
let testDatabase: TestDatabase;
let db: Database;
const restaurantId = newId();

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = openDatabase({ url: testDatabase.url });
  await db.query(
    `insert into restaurants (id, provider_restaurant_id, name, time_zone, courier_wait_limit_minutes,
       approval_limit_minutes, created_at)
     values ($1, 'resto-1', 'Resto', 'Europe/Istanbul', 45, 7, now())`,
    [restaurantId],
  );
});

afterAll(async () => {
  await db.close();
  await testDatabase.drop();
});

const instants = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2999-12-31'), noInvalidDate: true })
  .map((date): Instant => date.getTime());
const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const cancellations = fc.record({
  reasonId: fc.constantFrom<Cancellation['reasonId']>('OUT_OF_STOCK', 'CUSTOMER_REQUEST'),
  by: fc.constantFrom<Cancellation['by']>('Restaurant', 'System'),
  text: fc.constantFrom('No more', ''),
});
const changes: fc.Arbitrary<Omit<Order, 'id' | 'wantedAt'>> = fc.record({
  state: fc.constantFrom(...STATES),
  version: fc.nat(100),
  lastChangedAt: instants,
  courierId: maybe(fc.uuid()),
  courierOfferedAt: maybe(instants),
  courierAcceptedAt: maybe(instants),
  kitchenReadyAt: maybe(instants),
  deadlineAt: maybe(instants),
  cancellation: maybe(cancellations),
});

async function place(orders: readonly Order[]): Promise<string[]> {
  const numbers = await takeOrderNumbers(db, orders.length);
  const rows = orders.map((order, index) => ({
    order,
    restaurantId,
    providerOrderId: `order-${order.id}`,
    orderNumber: numbers[index] ?? '',
    content: Buffer.from('{}'),
    facts: '{}',
    warnings: '[]',
    issues: '[]',
    lookAt: null,
    createdAt: 0,
  }));
  await insertPlacedOrders(db, { orders: rows, events: [], now: 0, nodeId: null });
  return numbers;
}

test('a locked order equals the stored one, with any optional fields, to the millisecond', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(maybe(instants), changes), { minLength: 1, maxLength: 5 }), async (given) => {
      const placed = given.map(([wantedAt]) => newOrder(newId(), wantedAt, 0));
      const numbers = await place(placed);
      const orders = placed.map((order, index): Order => ({ ...order, ...given[index]?.[1] }));
      await db.transaction((tx) => updateOrders(tx, { orders, events: [], notes: [], now: 0, nodeId: null }));
      const ids = orders.map(({ id }) => id);
      const locked = await db.transaction((tx) => lockOrders(tx, [...ids, newId()]));
      expect([...locked.keys()]).toEqual(ids.toSorted());
      for (const [index, order] of orders.entries()) {
        expect(locked.get(order.id)).toEqual({
          order,
          restaurantId,
          identity: {
            providerOrderId: `order-${order.id}`,
            serviceOrderId: order.id,
            orderNumber: numbers[index],
            providerRestaurantId: 'resto-1',
            timeZone: 'Europe/Istanbul',
          },
          limits: { courierWaitLimitMinutes: 45, approvalLimitMinutes: 7 },
        });
      }
    }),
    { numRuns: 60 },
  );
});
