import { afterEach, expect, test } from 'vitest';
import { createHistory, findLosses } from '../../../harness/load/loss-check.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestService } from '../../../harness/service/service.ts';

const STOPS_WITHIN_MS = 8_000;

let first: TestService;
let second: TestService;
let receiver: Receiver;

afterEach(async () => {
  await second.stop();
  await receiver.close();
});

test('a stop under steady load ends soon, finishes current work, and leaves the rest to the other nodes', async () => {
  const history = createHistory();
  receiver = await startReceiver({
    onRequest: (request) => {
      history.received.push(request.body.toString());
      return { delayMs: 20 };
    },
  });
  second = await startService();
  first = await startService({ databaseUrl: second.databaseUrl, masterKey: second.masterKey });
  const restaurant = await second.addRestaurant({ receiver, autoApprove: true });
  const complaints: string[] = [];
  let last = 0;
  const over = new AbortController();
  // Each client keeps a connection open and uses it continuously until the node closes it.
  const post = async (): Promise<void> => {
    while (!over.signal.aborted) {
      last += 1;
      const orderId = `stop-${last}`;
      const answer = await first.post(restaurant, { orderId }).catch(() => undefined);
      if (answer === undefined) return;
      const body = (await answer.json()) as { serviceOrderId: string };
      if (answer.status === 201) history.orders.set(orderId, body.serviceOrderId);
      else if (answer.status !== 503) complaints.push(`${orderId}: ${answer.status}`);
    }
  };
  const posting = Promise.all(Array.from({ length: 10 }, post));
  await expect.poll(() => history.orders.size, { timeout: 10_000, interval: 10 }).toBeGreaterThan(50);
  const startedAtMs = performance.now();
  await first.app.stop();
  expect(performance.now() - startedAtMs).toBeLessThan(STOPS_WITHIN_MS);
  over.abort();
  await posting;

  const { db } = second.app;
  // The stopped node released its leases, so nobody has to wait for the silence limit.
  expect(await db.query('select from nodes')).toHaveLength(1);
  const countDeliveries = async (): Promise<number> => (await db.query('select from deliveries')).length;
  await expect.poll(countDeliveries, { timeout: 8_000, interval: 50 }).toBe(0);
  expect(complaints).toEqual([]);
  expect(await findLosses(db, history)).toEqual([]);
});
