// History is partitioned by week, and a statement that is running while its week is added is executed again. Its
// effects still happen only once.
import { expect, onTestFinished, test } from 'vitest';
import { addWeek, HISTORY_TABLES, listWeeks, weekOf } from '../../../src/store/upkeep/history.ts';
import { startReceiver } from '../../../harness/receivers/receiver.ts';
import { startService } from '../../../harness/service/service.ts';

test('a command that needs the partition of a new week executes once and sends its event once', async () => {
  const receiver = await startReceiver();
  const service = await startService();
  onTestFinished(async () => {
    await service.stop();
    await receiver.close();
  });
  const { db, changer } = service.app;
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  const courierId = await service.addCourier();
  const placed = await service.post(restaurant, { orderId: 'week-1' });
  const { serviceOrderId } = (await placed.json()) as { serviceOrderId: string };
  await receiver.waitFor(() => receiver.requests.length === 1);
  const { startsAt } = weekOf(Date.now());
  const lastTable = HISTORY_TABLES.at(-1) ?? 'events';
  await expect.poll(() => listWeeks(db, lastTable)).toContain(startsAt);
  const name = new Date(startsAt).toISOString().slice(0, 10).replaceAll('-', '');
  await db.query(`drop table order_history_w${name}`);

  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holding = db.transaction(async (tx) => {
    await tx.query('select from event_counters for update');
    held.resolve();
    await release.promise;
  });
  await held.promise;
  const assigning = changer.change({
    scope: 'everything',
    orderId: serviceOrderId,
    command: { name: 'assign', courierId },
    actor: { role: 'restaurant' },
  });
  const listWaiting = () =>
    db.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  await expect.poll(listWaiting).not.toEqual([]);
  // The lock attempt is brief and fails while someone reads history; on a busy machine that may happen a few times in a
  // row. The change meanwhile waits up to 5 seconds for its lock.
  const tryToAdd = () =>
    db
      .transaction((tx) => addWeek(tx, 'order_history', startsAt))
      .then(
        () => true,
        () => false,
      );
  try {
    await expect.poll(tryToAdd, { timeout: 4_000 }).toBe(true);
  } finally {
    release.resolve();
  }
  await holding;

  expect(await assigning).toEqual({ kind: 'changed', state: 'ASSIGNED' });
  const events = await db.query('select version, to_state from events where order_id = $1 order by version', [
    serviceOrderId,
  ]);
  expect(events).toEqual([
    { version: 1, toState: 'VALIDATED' },
    { version: 2, toState: 'ASSIGNED' },
  ]);
  const notes = await db.query(
    'select kind, tableoid::regclass::text as week from order_history where order_id = $1 order by id',
    [serviceOrderId],
  );
  expect(notes).toEqual([{ kind: 'courier_offered', week: `order_history_w${name}` }]);
  await receiver.waitFor(() => receiver.requests.length === 2);
  await service.app.engine.idle();
  expect(receiver.requests).toHaveLength(2);
});
