import { expect, onTestFinished, test } from 'vitest';
import { signInAs } from '../../../../harness/service/panel-client.ts';
import { startService } from '../../../../harness/service/service.ts';
import { orderAnswerSchema } from '../../../contract/integrator/answers.ts';
import { timelineAnswer } from '../../../contract/panel/orders/timeline.ts';
import { discardDelivery } from '../../../store/webhooks/delivery-log.ts';

const WAITING_READERS = `select 1 from pg_locks where relation = 'deliveries'::regclass and not granted`;

test('a webhook that ends during a timeline read appears together with its last attempt', async () => {
  // Without workers, nothing else reads deliveries here.
  const service = await startService({ roles: ['api'] });
  onTestFinished(() => service.stop());
  const restaurant = await service.addRestaurant();
  const owner = await signInAs(service, 'owner', { restaurant });
  const placed = orderAnswerSchema.parse(await (await service.post(restaurant, { orderId: 'P-1' })).json());
  const order = `/api/orders/${placed.serviceOrderId}`;
  await owner.send('POST', `${order}/commands`, { command: 'approve' });
  const [event] = await service.app.db.query<{ id: string }>('select id from events');

  let reading: ReturnType<typeof owner.get> | undefined;
  await service.app.db.transaction(async (tx) => {
    await tx.query('lock table deliveries');
    reading = owner.get(`${order}/timeline`);
    await expect.poll(() => tx.query(WAITING_READERS)).not.toEqual([]);
    await discardDelivery(tx, { eventId: event?.id ?? '', restaurantId: null, now: Date.now() });
  });
  const { entries, deliveries } = timelineAnswer.parse((await reading)?.body);
  expect(deliveries).toMatchObject([{ state: 'discarded' }]);
  expect(entries.at(-1)).toMatchObject({ kind: 'attempt', outcome: 'discarded' });
});
