import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReceiver, type Receiver } from '../../test/helpers/receiver.ts';
import { startService, type TestService } from '../../test/helpers/service.ts';
import { auditNewestEvents } from './no-loss-audit.ts';

let receiver: Receiver;
let service: TestService;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService();
});

afterAll(async () => {
  await service.stop();
  await receiver.close();
});

test('the audit is silent while all is well, and counts an event without its delivery and a change without its event', async () => {
  const { db } = service.app;
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  for (const orderId of ['a', 'b', 'c']) expect((await service.post(restaurant, { orderId })).status).toBe(201);
  await expect.poll(() => db.query('select from deliveries')).toEqual([]);
  const clean = { eventsWithoutDelivery: 0, changesWithoutEvent: 0 };
  expect(await auditNewestEvents(db)).toEqual(clean);
  await db.query(`delete from attempts where event_id = (select event_id from attempts limit 1)`);
  expect(await auditNewestEvents(db)).toEqual({ ...clean, eventsWithoutDelivery: 1 });
  // The order's only event: nothing but the order itself can tell that it is missing.
  await db.query(`delete from events where order_id = (select id from orders where provider_order_id = 'b')`);
  expect(await auditNewestEvents(db)).toMatchObject({ changesWithoutEvent: 1 });
  const metrics = await (await fetch(`${service.address}/metrics`)).text();
  expect(metrics).toMatch(/^waybill_audit_missing_deliveries [1-9]/m);
});
