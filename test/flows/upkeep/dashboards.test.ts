// Every panel of every dashboard shows data of a real node on a real Prometheus. A selector with a wrong value of a
// label, such as a state that does not exist, would show nothing.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestService } from '../../../harness/service/service.ts';
import { DASHBOARD_FILES, fillVariables, listExpressions, readDashboard } from '../../monitoring/dashboards.ts';
import { isPrometheusInstalled, startPrometheus, type Prometheus } from '../../servers/prometheus.ts';

const INTERVAL_MS = 200;
const PATIENCE = { timeout: 60_000, interval: 200 };
const isAbsent = !isPrometheusInstalled();
const SKIPPED = isAbsent ? ' (skipped: the package prometheus is not installed)' : '';

let service: TestService;
let receiver: Receiver;
let prometheus: Prometheus;

beforeAll(async () => {
  if (isAbsent) return;
  receiver = await startReceiver();
  service = await startService();
  prometheus = await startPrometheus({
    targets: [new URL(service.address).host],
    rules: 'groups: []',
    intervalMs: INTERVAL_MS,
  });
});
afterAll(async () => {
  if (isAbsent) return;
  await prometheus.stop();
  await service.stop();
  await receiver.close();
});

test.skipIf(isAbsent)(
  `every panel shows data once an order and its webhook were seen${SKIPPED}`,
  async () => {
    const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
    expect((await service.post(restaurant, { orderId: 'shown' })).status).toBe(201);
    await receiver.waitFor((requests) => requests.length > 0);
    const expressions = DASHBOARD_FILES.flatMap((file) => listExpressions(readDashboard(file)));
    const listEmpty = async () => {
      const results = await Promise.all(
        expressions.map(async (text) => ({ text, samples: await prometheus.query(fillVariables(text, '10m')) })),
      );
      return results.filter(({ samples }) => samples.length === 0).map(({ text }) => text);
    };
    await expect.poll(listEmpty, PATIENCE).toEqual([]);
    const wrong = 'max without (instance, pod) (waybill_orders{job="waybill", state="PICKED_UP"})';
    expect(await prometheus.query(wrong)).toEqual([]);
  },
  90_000,
);
