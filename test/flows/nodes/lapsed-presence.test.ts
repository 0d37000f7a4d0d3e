// A node whose last heartbeat is too old stops sending immediately, including leased deliveries, and resumes afterward.
import { afterEach, expect, test } from 'vitest';
import { silentLog, systemClock } from '../../../src/platform.ts';
import type { Delivery } from '../../../src/store/webhooks/deliveries.ts';
import { DeliveryEngine, type EngineDeps } from '../../../src/webhooks/queue/engine.ts';
import { AttemptRecorder } from '../../../src/webhooks/queue/result-recorder.ts';
import { createSender } from '../../../src/webhooks/client/sender.ts';
import { TargetCache } from '../../../src/webhooks/client/targets.ts';
import { getTestAuthority, startReceiver, type Answer } from '../../../harness/receivers/receiver.ts';
import { startService, type TestService } from '../../../harness/service/service.ts';

const WAITING = 15_000;

let service: TestService;
let respond: () => Answer | Promise<Answer> = () => 200;

afterEach(async () => {
  respond = () => 200;
  await service.stop();
});

let nodeId: string | null = null;

/** An engine that is independent of the service's own workers; the test decides whether it counts as alive. */
async function startEngine(sender: EngineDeps['sender']) {
  service = await startService({ roles: ['plan'] });
  const receiver = await startReceiver({ onRequest: () => respond() });
  const restaurant = await service.addRestaurant({ receiver });
  const { app } = service;
  nodeId = '1';
  const targets = new TargetCache(app);
  const engine = new DeliveryEngine({
    ...app,
    log: silentLog,
    presence: { nodeId: () => nodeId },
    sender,
    targets,
    recorder: new AttemptRecorder(app),
  });
  const draft = (count: number): Delivery[] =>
    Array.from({ length: count }, (_, index) => {
      const about = { restaurantId: restaurant.id, endpoint: 'status', body: '{}' } as const;
      const ids = { eventId: app.newId(), orderId: app.newId(), leasedBy: '1' };
      return { ...about, ...ids, version: index + 1, attempts: 0, failures: 0 };
    });
  // Cached in advance, so that each delivery is decided on without waiting for the database.
  const knowTarget = (): Promise<unknown> => targets.find(restaurant.id, 'status');
  return { engine, receiver, draft, knowTarget };
}

test(`${WAITING} deliveries held by a lapsed node are released without sending any of them`, async () => {
  let sent = 0;
  const mayEnd = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const { engine, receiver, draft, knowTarget } = await startEngine({
    send: async (request) => {
      sent += 1;
      started.resolve();
      await mayEnd.promise;
      return service.app.sender.send(request);
    },
  });
  await knowTarget();
  engine.accept(draft(WAITING));
  await started.promise;
  const sentBefore = sent;
  nodeId = null;
  await knowTarget();
  mayEnd.resolve();
  await engine.idle();
  expect(sent).toBe(sentBefore);
  expect(engine.stats()).toEqual({ inMemory: 0, inFlight: 0 });
  await receiver.close();
});

test('an attempt that waits for a connection is aborted when its node lapses', async () => {
  const authority = await getTestAuthority();
  const sender = createSender({
    clock: systemClock,
    allowCidrs: ['127.0.0.0/8'],
    caFile: authority.certificatePem,
    maxConnectionsPerEndpoint: 1,
  });
  const answer = Promise.withResolvers<Answer>();
  respond = () => answer.promise;
  const { engine, receiver, draft, knowTarget } = await startEngine(sender);
  await knowTarget();
  engine.accept(draft(2));
  await receiver.waitFor((requests) => requests.length === 1);
  expect(engine.stats().inFlight).toBe(2);
  nodeId = null;
  answer.resolve(200);
  await engine.idle();
  expect(receiver.requests).toHaveLength(1);
  expect(engine.stats()).toEqual({ inMemory: 0, inFlight: 0 });
  await sender.close();
  await receiver.close();
});
