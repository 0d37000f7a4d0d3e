// The server is stopped and started: requests are refused quickly meanwhile, and everything goes on soon afterward.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { clearAway, makeDataDir, start } from '../../processes/embedded.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

const INTAKE_WITHIN_MS = 2_000;
const ATTEMPT_WITHIN_MS = 5_000;

let dataDir: string;
let server: Awaited<ReturnType<typeof start>>;
let service: TestService;
let receiver: Receiver;
let restaurant: TestRestaurant;

beforeAll(async () => {
  dataDir = await makeDataDir();
  server = await start(dataDir);
  await migrate(server.url);
  receiver = await startReceiver();
  service = await startService({ databaseUrl: server.url });
  restaurant = await service.addRestaurant({ receiver, autoApprove: true });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
  await server.stop();
  await clearAway({ keepPrepared: false });
});

const post = async (orderId: string): Promise<number> => (await service.post(restaurant, { orderId })).status;

test('orders are refused quickly while the database is away, taken within 2 s and announced within 5 s', async () => {
  expect(await post('before')).toBe(201);
  await server.stop();
  const startedMs = performance.now();
  const refused = await Promise.all(Array.from({ length: 100 }, (_, index) => post(`away-${index}`)));
  expect(new Set(refused)).toEqual(new Set([503]));
  expect(performance.now() - startedMs).toBeLessThan(service.app.config.requestDeadlineMs);
  expect(await post('away')).toBe(503);
  server = await start(dataDir);
  const backMs = performance.now();
  await expect.poll(() => post('back'), { timeout: INTAKE_WITHIN_MS, interval: 20 }).toBeLessThan(300);
  await receiver.waitFor(() => receiver.requests.some(({ body }) => body.toString().includes('"back"')));
  expect(performance.now() - backMs).toBeLessThan(ATTEMPT_WITHIN_MS);
});
