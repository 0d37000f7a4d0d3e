import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EMPTY_LIST, type ActAnswer, type ActList, type QueuedAct } from './action-list.ts';
import { createActQueue, type ActQueue, type ActQueueDeps, type ActStore } from './action-queue.ts';

const COURIER = 'courier-1';

/** Storage that persists when every page is closed. */
function createPhone(): ActStore {
  let list: ActList = EMPTY_LIST;
  return {
    read: () => Promise.resolve(list),
    change: (change) => {
      list = change(list);
      return Promise.resolve(list);
    },
  };
}

type Network = 'works' | 'loses requests' | 'loses answers';

/** Like the service: applies an action once, and refuses steps older than its last one or of an order that refuses. */
function createServer() {
  const applied: QueuedAct[] = [];
  const refusing = new Set<string>();
  const server = {
    applied,
    refusing,
    network: 'works' as Network,
    send(act: QueuedAct): Promise<ActAnswer> {
      if (server.network === 'loses requests') return Promise.reject(new Error('no connection'));
      const isKnown = applied.some(({ id }) => id === act.id);
      const isLate = applied.some(
        ({ orderId, kind, at }) => kind !== 'problem' && orderId === act.orderId && at > act.at,
      );
      const isRefused = !isKnown && act.kind !== 'problem' && (isLate || refusing.has(act.orderId));
      if (!isKnown && !isRefused) applied.push(act);
      if (server.network === 'loses answers') return Promise.reject(new Error('no answer'));
      return Promise.resolve(isRefused ? { outcome: 'refused', explanation: 'Not now.' } : { outcome: 'applied' });
    },
  };
  return server;
}

function createLock() {
  let last: Promise<unknown> = Promise.resolve();
  return (run: () => Promise<void>): Promise<void> => {
    const mine = last.then(run);
    last = mine.catch(() => undefined);
    return mine;
  };
}

type Tab = ActQueue & { close: () => void };

interface Tabs extends Partial<ActQueueDeps> {
  phone?: ActStore;
  server: ReturnType<typeof createServer>;
  alone?: (run: () => Promise<void>) => Promise<void>;
}

/** Without automatic retries: the test triggers each send. */
function openTab({ phone = createPhone(), server, alone = (run) => run(), ...other }: Tabs): Tab {
  const queue = createActQueue({
    courierId: COURIER,
    store: phone,
    send: server.send,
    onApplied: () => undefined,
    alone,
    wait: () => () => undefined,
    notifyTabs: () => undefined,
    ...other,
  });
  return { ...queue, close: queue.start() };
}

type Step =
  | { do: 'act'; tab: 0 | 1; order: string; kind: QueuedAct['kind']; clock: number }
  | { do: 'flush' | 'reload'; tab: 0 | 1 }
  | { do: 'network'; network: Network }
  | { do: 'refuse' | 'allow' | 'send again'; order: string };

const tab = fc.constantFrom(0 as const, 1 as const);
const order = fc.constantFrom('a', 'b', 'c');
const kind = fc.constantFrom<QueuedAct['kind']>('arrived', 'picked_up', 'problem');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('act' as const), tab, order, kind, clock: fc.integer({ min: 0, max: 1000 }) }),
  fc.record({ do: fc.constantFrom('flush' as const, 'reload' as const), tab }),
  fc.record({
    do: fc.constant('network' as const),
    network: fc.constantFrom<Network>('works', 'loses requests', 'loses answers'),
  }),
  fc.record({ do: fc.constantFrom('refuse' as const, 'allow' as const, 'send again' as const), order }),
);

interface World {
  phone: ActStore;
  server: ReturnType<typeof createServer>;
  tabs: [Tab, Tab];
  added: { id: string; order: string; kind: QueuedAct['kind'] }[];
  open: () => Tab;
}

async function take(world: World, one: Step): Promise<void> {
  const { server, tabs, added } = world;
  switch (one.do) {
    case 'act': {
      const id = `act-${added.length}`;
      added.push({ id, order: one.order, kind: one.kind });
      const act = { id, orderId: one.order, orderNumber: one.order, kind: one.kind, detail: null };
      return tabs[one.tab].add(act, one.clock);
    }
    case 'flush':
      // Not awaited: the next step happens during the flush.
      void tabs[one.tab].flush();
      return;
    case 'reload':
      tabs[one.tab].close();
      tabs[one.tab] = world.open();
      return;
    case 'network':
      server.network = one.network;
      return;
    case 'refuse':
      server.refusing.add(one.order);
      return;
    case 'allow':
      server.refusing.delete(one.order);
      return;
    case 'send again':
      return tabs[0].sendAgain(one.order);
  }
}

async function live(steps: readonly Step[], alone: Tabs['alone']): Promise<World> {
  const phone = createPhone();
  const server = createServer();
  const open = () => openTab({ phone, server, ...(alone !== undefined && { alone }) });
  const world: World = { phone, server, tabs: [open(), open()], added: [], open };
  for (const one of steps) await take(world, one);
  server.network = 'works';
  await world.tabs[0].flush();
  await world.tabs[1].flush();
  await world.tabs[0].flush();
  return world;
}

async function expectNothingLost({ phone, server, added }: World): Promise<void> {
  const left = (await phone.read()).acts;
  expect(left.filter((act) => act.refusal === null)).toEqual([]);
  const applied = server.applied.map(({ id }) => id);
  expect(new Set(applied).size).toBe(applied.length);
  // Each action was either applied or is still in the list.
  expect([...applied, ...left.map(({ id }) => id)].toSorted()).toEqual(added.map(({ id }) => id).toSorted());
  for (const name of ['a', 'b', 'c']) {
    const mine = server.applied.filter(({ orderId, kind }) => orderId === name && kind !== 'problem');
    const inOrder = added.filter((act) => act.order === name && act.kind !== 'problem' && applied.includes(act.id));
    expect(mine.map(({ id }) => id)).toEqual(inOrder.map(({ id }) => id));
    expect(mine.every((act, index) => index === 0 || act.at > (mine[index - 1]?.at ?? 0))).toBe(true);
  }
}

test('for any network, reloads and two tabs, each action is applied once and in order, or reported as rejected', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      await expectNothingLost(await live(steps, createLock()));
    }),
    { numRuns: 400 },
  );
});

test('if the service rejects nothing, every action arrives in the order in which it was done', async () => {
  const harmless = step.filter((one) => one.do !== 'refuse');
  await fc.assert(
    fc.asyncProperty(fc.array(harmless, { maxLength: 40 }), async (steps) => {
      const { server, added } = await live(steps, createLock());
      expect(server.applied.map(({ id }) => id)).toEqual(added.map(({ id }) => id));
    }),
    { numRuns: 400 },
  );
});

test('without locks between tabs, no action is applied twice either', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { server } = await live(steps, undefined);
      const applied = server.applied.map(({ id }) => id);
      expect(new Set(applied).size).toBe(applied.length);
    }),
    { numRuns: 200 },
  );
});

const actOf = (id: string, orderId: string, kind: QueuedAct['kind'] = 'arrived') => ({
  id,
  orderId,
  orderNumber: '42',
  kind,
  detail: null,
});

test('actions after a rejected step of the same order are held, and all can be resent with their original times', async () => {
  const server = createServer();
  server.network = 'loses requests';
  const queue = openTab({ server });
  await queue.add(actOf('1', 'a', 'picked_up'), 100);
  await queue.add(actOf('2', 'b', 'arrived'), 200);
  await queue.add(actOf('3', 'a', 'delivered'), 300);
  server.network = 'works';
  server.refusing.add('a');
  await queue.flush();
  expect(queue.acts().map(({ id, refusal }) => [id, refusal?.explanation])).toEqual([
    ['1', 'Not now.'],
    ['3', null],
  ]);
  server.refusing.clear();
  await queue.sendAgain('a');
  await queue.flush();
  expect(server.applied.map(({ id, at }) => [id, at])).toEqual([
    ['2', 200],
    ['1', 100],
    ['3', 300],
  ]);
  expect(queue.acts()).toEqual([]);
});

test('a problem is reported before the rejected steps, which can still be sent again', async () => {
  const server = createServer();
  server.network = 'loses requests';
  const queue = openTab({ server });
  await queue.add(actOf('1', 'a', 'picked_up'), 100);
  await queue.add(actOf('2', 'a', 'delivered'), 200);
  await queue.add(actOf('3', 'a', 'problem'), 300);
  server.network = 'works';
  server.refusing.add('a');
  await queue.flush();
  expect(queue.acts().map(({ id }) => id)).toEqual(['1', '2']);
  server.refusing.clear();
  await queue.sendAgain('a');
  await queue.flush();
  expect(server.applied.map(({ id }) => id)).toEqual(['3', '1', '2']);
  expect(queue.acts()).toEqual([]);
});

test('after problem reports, sending again brings every step to a service that rejects none anymore', async () => {
  // Only allowed at the end: a step applied before a refused one leaves the refused one too old for good.
  const lasting = step.filter((one) => one.do !== 'allow');
  await fc.assert(
    fc.asyncProperty(fc.array(lasting, { maxLength: 40, size: 'max' }), async (steps) => {
      const world = await live(steps, createLock());
      world.server.refusing.clear();
      for (const name of ['a', 'b', 'c']) await world.tabs[0].sendAgain(name);
      await world.tabs[0].flush();
      expect((await world.phone.read()).acts).toEqual([]);
      await expectNothingLost(world);
    }),
    { numRuns: 200 },
  );
});

test('setting the clock back does not reverse the order of actions', async () => {
  const server = createServer();
  const queue = openTab({ server });
  await queue.add(actOf('1', 'a'), 5_000);
  await queue.flush();
  await queue.add(actOf('2', 'a'), 1_000);
  await queue.flush();
  expect(server.applied.map(({ at }) => at)).toEqual([5_000, 5_001]);
});

test("another user's actions on this phone are kept for that user and never sent in this session", async () => {
  const phone = createPhone();
  const server = createServer();
  server.network = 'loses requests';
  const first = openTab({ phone, server });
  await first.add(actOf('1', 'a'), 100);
  first.close();
  server.network = 'works';
  const other = openTab({ phone, server, courierId: 'courier-2' });
  await other.refresh();
  await other.flush();
  expect([server.applied, other.acts()]).toEqual([[], []]);
  await openTab({ phone, server }).flush();
  expect(server.applied.map(({ id }) => id)).toEqual(['1']);
});

test('without an answer it retries with growing delays, and at once on request', async () => {
  const server = createServer();
  server.network = 'loses requests';
  const waits: number[] = [];
  const queue = openTab({
    server,
    wait: (_run, delayMs) => {
      waits.push(delayMs);
      return () => undefined;
    },
  });
  await queue.add(actOf('1', 'a'), 100);
  await expect.poll(() => waits).toEqual([2_000]);
  for (let time = 0; time < 5; time += 1) await queue.flush();
  expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  server.network = 'works';
  await queue.flush();
  expect(queue.acts()).toEqual([]);
});

test('an action leaves the list only after its effect is shown', async () => {
  const server = createServer();
  const seen: string[] = [];
  const queue: Tab = openTab({
    server,
    onApplied: (act) => seen.push(`${act.id} while ${queue.acts().length} is listed`),
  });
  await queue.add(actOf('1', 'a'), 100);
  await queue.flush();
  expect(seen).toEqual(['1 while 1 is listed']);
  expect(queue.acts()).toEqual([]);
});
