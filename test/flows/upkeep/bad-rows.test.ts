// Rows that cannot be read or written, inserted into the database by hand. Each fails every batch that contains it; the
// webhooks, offers and commands for all other rows must continue. Each test first shows on its own data that the row
// fails the batch: a row that does no harm proves nothing.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimDueDeliveries } from '../../../src/store/webhooks/claim.ts';
import { listLeases, releaseDeliveries, releaseForgottenHeld } from '../../../src/store/webhooks/deliveries.ts';
import { releaseDeadNodes } from '../../../src/store/upkeep/nodes.ts';
import { listSetAside } from '../../../src/store/upkeep/set-aside.ts';
import { Leases } from '../../../src/webhooks/queue/leases.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

const PATIENCE = { timeout: 15_000 };

let receiver: Receiver;
/** Takes orders but sends nothing. */
let intake: TestService;
let bad: TestRestaurant;
let good: TestRestaurant;
let sending: TestService | undefined;

beforeEach(async () => {
  receiver = await startReceiver();
  intake = await startService({ roles: ['api'] });
  const options = { receiver, hasSecret: true, autoApprove: true };
  bad = await intake.addRestaurant(options);
  good = await intake.addRestaurant(options);
});

afterEach(async () => {
  await sending?.stop();
  sending = undefined;
  await intake.stop();
  await receiver.close();
});

async function startSending(): Promise<TestService> {
  const { databaseUrl, masterKey } = intake;
  sending = await startService({ databaseUrl, masterKey, roles: ['deliver'] });
  return sending;
}

async function place(restaurant: TestRestaurant): Promise<string> {
  const answer = await intake.post(restaurant, { orderId: randomUUID() });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

const query = <Row extends object>(text: string, values: unknown[] = []) => intake.app.db.query<Row>(text, values);
const listTroubles = async () =>
  (await listSetAside(intake.app.db, intake.app.clock.now(), 100)).map(({ work, kind, id }) => ({ work, kind, id }));
const countDeliveries = async (orderId: string) =>
  (await query('select from deliveries where order_id = $1', [orderId])).length;

/** From now on, every update of this order's deliveries fails. */
async function lockDeliveries(orderId: string): Promise<void> {
  await query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'this delivery cannot be written'; end $$`);
  await query(
    `create trigger refuse before update on deliveries for each row when (old.order_id = '${orderId}')
     execute function refuse()`,
  );
}

test('a webhook secret that cannot be decrypted delays no other restaurant’s webhooks', async () => {
  await query(`update webhook_secrets set sealed_secret = '\\x00' where restaurant_id = $1`, [bad.id]);
  const [badId, goodId] = [await place(bad), await place(good)];
  await startSending();
  await expect.poll(() => countDeliveries(goodId), PATIENCE).toBe(0);
  // No unsigned webhook is sent; the attempt fails, is logged for the restaurant, and is retried after the usual delay.
  await expect
    .poll(() => query('select error_class, status from attempts where restaurant_id = $1', [bad.id]), PATIENCE)
    .toEqual([{ errorClass: 'secret', status: null }]);
  expect(receiver.requests).toHaveLength(1);
  expect(await query('select failures, leased_by, due_at > now() as waits from deliveries')).toEqual([
    { failures: 1, leasedBy: null, waits: true },
  ]);
  expect(await listTroubles()).toEqual([{ work: 'webhooks', kind: 'restaurant', id: bad.id }]);
  expect(await countDeliveries(badId)).toBe(1);
});

test('a delivery that cannot be leased is set aside, and the others in the claim are sent', async () => {
  const badId = await place(bad);
  const goodIds = await Promise.all(Array.from({ length: 5 }, () => place(good)));
  await lockDeliveries(badId);
  const claim = { nodeId: '1', now: intake.app.clock.now(), limit: 100, rooms: new Map<string, number>() };
  await expect(intake.app.db.transaction((tx) => claimDueDeliveries(tx, claim))).rejects.toThrow('cannot be written');
  await startSending();
  for (const id of goodIds) await expect.poll(() => countDeliveries(id), PATIENCE).toBe(0);
  expect(await listTroubles()).toEqual([{ work: 'webhooks', kind: 'order', id: badId }]);
  expect(await countDeliveries(badId)).toBe(1);
});

test('an attempt that cannot be recorded blocks no other attempt and is not repeated at once', async () => {
  const badId = await place(bad);
  const goodIds = await Promise.all(Array.from({ length: 5 }, () => place(good)));
  await query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'this attempt cannot be written'; end $$`);
  await query(
    `create trigger refuse before insert on attempts for each row when (new.restaurant_id = '${bad.id}')
     execute function refuse()`,
  );
  await startSending();
  for (const id of goodIds) await expect.poll(() => countDeliveries(id), PATIENCE).toBe(0);
  await expect.poll(listTroubles, PATIENCE).toEqual([{ work: 'webhooks', kind: 'restaurant', id: bad.id }]);
  const waiting = 'select attempts, failures, leased_by, due_at > now() as waits from deliveries where order_id = $1';
  await expect
    .poll(() => query(waiting, [badId]), PATIENCE)
    .toEqual([{ attempts: 1, failures: 1, leasedBy: null, waits: true }]);
});

test('a dead node’s delivery that cannot be released blocks no other release and no heartbeat', async () => {
  const [badId, goodId] = [await place(bad), await place(good)];
  // Leased by a node that no longer exists.
  await query('update deliveries set leased_by = 4711');
  await lockDeliveries(badId);
  const release = releaseDeadNodes(intake.app.db, intake.app.clock.now());
  await expect(release).rejects.toThrow('cannot be written');
  await startSending();
  await expect.poll(() => countDeliveries(goodId), PATIENCE).toBe(0);
  await expect.poll(listTroubles, PATIENCE).toEqual([{ work: 'webhooks', kind: 'order', id: badId }]);
  expect(await query('select leased_by from deliveries')).toEqual([{ leasedBy: '4711' }]);
});

test('a lease that cannot be returned blocks no other return', async () => {
  const [badId] = [await place(bad), await place(good)];
  await query('update deliveries set leased_by = 1');
  await lockDeliveries(badId);
  const { db } = intake.app;
  const eventIds = (await listLeases(db, '1')).map(({ eventId }) => eventId);
  await expect(releaseDeliveries(db, '1', eventIds)).rejects.toThrow('cannot be written');
  const leases = new Leases({ ...intake.app, isHeld: () => false });
  // A lease is released only after two sweeps have seen it.
  expect([await leases.sweep('1'), await leases.sweep('1')]).toEqual([0, 1]);
  expect((await listLeases(db, '1')).map(({ orderId }) => orderId)).toEqual([badId]);
  expect(await listTroubles()).toEqual([{ work: 'webhooks', kind: 'order', id: badId }]);
});

test('a held delivery that cannot be released blocks no other release', async () => {
  const [badId, goodId] = [await place(bad), await place(good)];
  await query('update deliveries set due_at = null');
  await lockDeliveries(badId);
  await expect(releaseForgottenHeld(intake.app.db, intake.app.clock.now())).rejects.toThrow('cannot be written');
  await startSending();
  await expect.poll(() => countDeliveries(goodId), PATIENCE).toBe(0);
  await expect.poll(listTroubles, PATIENCE).toEqual([{ work: 'webhooks', kind: 'order', id: badId }]);
});
