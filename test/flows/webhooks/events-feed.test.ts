// The feed's cursor uses sequence numbers assigned in commit order, so a late commit cannot be behind the cursor.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOrderChanger } from '../../../src/actions/orders/change-order.ts';
import { closedOutbox } from '../../../src/actions/orders/event-outbox.ts';
import { openDatabase, type Database } from '../../../src/store/database/database.ts';
import { updateOrders } from '../../../src/store/orders/writes.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

let service: TestService;
let database: Database;

beforeAll(async () => {
  service = await startService();
  database = openDatabase({ url: service.databaseUrl });
});

afterAll(async () => {
  await database.close();
  await service.stop();
});

interface Page {
  events: { cursor: string; event: { orderId: string; status: string } }[];
  nextCursor: string | null;
  hasMore: boolean;
}

/** An integrator that continues reading from its last cursor. */
function createReader(restaurant: TestRestaurant) {
  const read: string[] = [];
  let cursor: string | null = null;
  return {
    read,
    async readOn(limit = 100): Promise<void> {
      for (;;) {
        const after: string = cursor === null ? '' : `&after=${cursor}`;
        const answer = await service.get(restaurant, `events?limit=${limit}${after}`);
        const page = (await answer.json()) as Page;
        read.push(...page.events.map(({ event }) => `${event.orderId} ${event.status}`));
        cursor = page.nextCursor;
        if (!page.hasMore) return;
      }
    },
  };
}

/** Approves an order in a transaction that has written everything but commits only when the test says so. */
function approveSlowly(orderId: string): { isWritten: Promise<void>; commit(): void; done: Promise<unknown> } {
  let commit = (): void => {};
  let onWritten = (): void => {};
  const isWritten = new Promise<void>((resolve) => (onWritten = resolve));
  const mayCommit = new Promise<void>((resolve) => (commit = resolve));
  const changer = createOrderChanger({
    ...service.app,
    db: database,
    outbox: closedOutbox,
    update: async (tx, write) => {
      const leased = await updateOrders(tx, write);
      onWritten();
      await mayCommit;
      return leased;
    },
  });
  return { isWritten, commit: () => commit(), done: changer.change(approve(orderId)) };
}

function approve(orderId: string) {
  return { orderId, scope: 'everything', command: { name: 'approve' }, actor: { role: 'restaurant' } } as const;
}

async function place(restaurant: TestRestaurant, orderId: string): Promise<string> {
  const answer = await service.post(restaurant, { orderId });
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

test('an event that commits late is not skipped by a concurrent reader', async () => {
  const restaurant = await service.addRestaurant();
  const [early, late] = [await place(restaurant, 'early'), await place(restaurant, 'late')];
  const reader = createReader(restaurant);
  const slow = approveSlowly(early);
  await slow.isWritten;
  // Started later, and only the feed's ordering can make it wait for the first one.
  const quick = service.app.changer.change(approve(late));
  await reader.readOn(1);
  slow.commit();
  await slow.done;
  await reader.readOn(1);
  await quick;
  await reader.readOn(1);
  expect(reader.read).toEqual(['early VALIDATED', 'late VALIDATED']);
});

test('a restaurant’s open transaction does not delay another restaurant’s feed', async () => {
  const [one, two] = [await service.addRestaurant(), await service.addRestaurant()];
  const slow = approveSlowly(await place(one, 'slow'));
  await slow.isWritten;
  await service.app.changer.change(approve(await place(two, 'quick')));
  const reader = createReader(two);
  await reader.readOn();
  expect(reader.read).toEqual(['quick VALIDATED']);
  slow.commit();
  await slow.done;
});

test('control: a reader that pages by event id skips the late commit', async () => {
  const [one, two] = [await service.addRestaurant(), await service.addRestaurant()];
  const slow = approveSlowly(await place(one, 'slow'));
  await slow.isWritten;
  await service.app.changer.change(approve(await place(two, 'quick')));
  const read: string[] = [];
  let last = '00000000-0000-0000-0000-000000000000';
  const readOn = async (): Promise<void> => {
    const rows = await database.query<{ id: string; body: string }>(
      'select id, body from events where restaurant_id = any($1::uuid[]) and id > $2 order by id',
      [[one.id, two.id], last],
    );
    for (const { id, body } of rows) {
      read.push((JSON.parse(body) as { orderId: string }).orderId);
      last = id;
    }
  };
  await readOn();
  slow.commit();
  await slow.done;
  await readOn();
  expect(read).toEqual(['quick']);
});

test('sequences have no gaps and no duplicates when one restaurant commits many commands at once', async () => {
  const restaurant = await service.addRestaurant();
  const second = createOrderChanger({ ...service.app, db: database, outbox: closedOutbox });
  const ids = await Promise.all(Array.from({ length: 100 }, (_, index) => place(restaurant, `many-${index}`)));
  const reader = createReader(restaurant);
  const changing = Promise.all(
    ids.map((id, index) => (index % 2 === 0 ? service.app.changer : second).change(approve(id))),
  );
  const done = new AbortController();
  const reading = (async () => {
    while (!done.signal.aborted) await reader.readOn(7);
  })();
  await changing;
  done.abort();
  await reading;
  await reader.readOn();
  expect([...reader.read].sort()).toEqual(ids.map((_, index) => `many-${index} VALIDATED`).sort());
  const rows = await database.query<{ sequence: string }>(
    'select sequence from events where restaurant_id = $1 order by sequence',
    [restaurant.id],
  );
  expect(rows.map((row) => Number(row.sequence))).toEqual(ids.map((_, index) => index + 1));
});
