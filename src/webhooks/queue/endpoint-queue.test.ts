import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Delivery } from '../../store/webhooks/deliveries.ts';
import { EndpointQueue, MAX_CONCURRENT } from './endpoint-queue.ts';

const ACCEPTED = { ok: true, status: 200, totalMs: 1 };
const REJECTED = { ok: false, status: 500, totalMs: 1 };
const UNANSWERED = { ok: false, status: null, totalMs: 1 };

function delivery(orderId: string, version: number, attempts = 0): Delivery {
  const eventId = `${orderId}-${version}`;
  const rest = { attempts, failures: attempts, leasedBy: '1' };
  return { eventId, restaurantId: 'r', endpoint: 'status', orderId, version, body: '{}', ...rest };
}

test('retries follow first attempts, and among retries the newest version leaves first', () => {
  const queue = new EndpointQueue('r/status');
  for (const [version, attempts] of [
    [2, 1],
    [5, 0],
    [1, 3],
    [4, 0],
    [3, 1],
  ] as const) {
    queue.add(delivery('a', version, attempts));
  }
  const left: number[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) {
    left.push(next.version);
    queue.finish(next);
  }
  expect(left).toEqual([4, 5, 3, 2, 1]);
});

test('deliveries of one order leave one at a time in the order of their versions', () => {
  const queue = new EndpointQueue('r/status');
  queue.add(delivery('a', 2));
  queue.add(delivery('a', 1));
  queue.add(delivery('b', 1));
  const first = queue.take();
  expect(first).toMatchObject({ orderId: 'a', version: 1 });
  expect(queue.take()).toMatchObject({ orderId: 'b' });
  expect(queue.take()).toBeUndefined();
  queue.finish(first as Delivery);
  expect(queue.take()).toMatchObject({ orderId: 'a', version: 2 });
});

test('a failing endpoint gets one attempt at a time, and a healthy one grows back to the limit', () => {
  const queue = new EndpointQueue('r/status');
  for (let failure = 0; failure < 10; failure += 1) queue.adapt(REJECTED);
  for (let order = 0; order < 100; order += 1) queue.add(delivery(`o${order}`, 1));
  const probe = queue.take();
  expect(queue.isFailing).toBe(true);
  expect(queue.take()).toBeUndefined();
  queue.finish(probe as Delivery);
  for (let success = 0; success < 1000; success += 1) queue.adapt(ACCEPTED);
  let taken = 0;
  while (queue.take() !== undefined) taken += 1;
  expect(taken).toBe(MAX_CONCURRENT);
});

test('a new endpoint starts with two concurrent attempts that double each round, and its queue grows with them', () => {
  const queue = new EndpointQueue('r/status');
  for (let order = 0; order < 200; order += 1) queue.add(delivery(`o${order}`, 1));
  const rounds: number[] = [];
  const rooms: number[] = [];
  const claimRooms: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    rooms.push(queue.roomIn());
    claimRooms.push(queue.claimRoomIn());
    const taken: Delivery[] = [];
    for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next);
    rounds.push(taken.length);
    for (const sent of taken) {
      queue.adapt(ACCEPTED);
      queue.finish(sent);
    }
  }
  expect(rounds).toEqual([2, 4, 8, 16, 32, 64, 64]);
  expect(rooms).toEqual([64, 64, 128, 512, 2_048, 8_192, 8_192]);
  expect(claimRooms).toEqual([2, 4, 16, 128, 1_024, 8_192, 8_192]);
});

test('a claim fetches one second of deliveries, and always at least the concurrency limit', () => {
  const claimRooms = [20, 100, 5_000].map((answerMs) => {
    const queue = new EndpointQueue('r/status');
    for (let success = 0; success < 1000; success += 1) queue.adapt({ ...ACCEPTED, totalMs: answerMs });
    return queue.claimRoomIn();
  });
  expect(claimRooms).toEqual([3_200, 640, MAX_CONCURRENT]);
});

test('one failure of a new endpoint reduces it to one probe and the next delivery', () => {
  const queue = new EndpointQueue('r/status');
  queue.adapt(REJECTED);
  expect([queue.isFailing, queue.roomIn(), queue.claimRoomIn()]).toEqual([true, 2, 1]);
  queue.adapt(ACCEPTED);
  expect(queue.isFailing).toBe(false);
});

test('an endpoint with a large backlog never takes more memory than it leaves to the others', () => {
  const memory = 1_000;
  const queues = ['a', 'b', 'c'].map((name) => new EndpointQueue(name));
  for (const queue of queues) for (let success = 0; success < MAX_CONCURRENT; success += 1) queue.adapt(ACCEPTED);
  const held = (): number => queues.reduce((sum, { size }) => sum + size, 0);
  for (const [index, queue] of queues.entries()) {
    while (queue.size < queue.roomIn(memory - held())) queue.add(delivery(`${index}-${queue.size}`, 1));
  }
  expect(queues.map(({ size }) => size)).toEqual([500, 250, 125]);
});

test('an endpoint is silent if its only probe times out, failing if it is rejected, and working after a success', () => {
  const queue = new EndpointQueue('r/status');
  const phaseAfter = (...outcomes: (typeof UNANSWERED | typeof REJECTED)[]): string => {
    for (const outcome of outcomes) queue.adapt(outcome);
    if (queue.isSilent && !queue.isFailing) return 'silent without failing';
    return queue.isSilent ? 'silent' : queue.isFailing ? 'failing' : 'working';
  };
  expect(phaseAfter()).toBe('working');
  expect([phaseAfter(UNANSWERED), phaseAfter(REJECTED), phaseAfter(UNANSWERED)]).toEqual([
    'silent',
    'failing',
    'silent',
  ]);
  expect(phaseAfter(ACCEPTED, ACCEPTED, ACCEPTED)).toBe('working');
  // The limit is four, then two: one unanswered attempt does not make an endpoint silent.
  expect([phaseAfter(UNANSWERED), phaseAfter(UNANSWERED)]).toEqual(['working', 'silent']);
});

test('a full claim marks an endpoint as catching up, and a full claim or an overflow asks for another claim', () => {
  const queue = new EndpointQueue('r/status');
  const steps = {
    overflow: () => queue.noteOverflow(),
    request: () => queue.noteClaimRequested(),
    full: () => queue.noteClaimed(true),
    partial: () => queue.noteClaimed(false),
  };
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...Object.keys(steps)), { maxLength: 30 }), (names) => {
      // The first two steps reset the state from any other.
      for (const name of ['request', 'partial', ...names]) steps[name as keyof typeof steps]();
      const claims = names.filter((name) => name === 'full' || name === 'partial');
      expect(queue.isCatchingUp).toBe(claims.at(-1) === 'full');
      const wants = names.filter((name) => name !== 'partial');
      expect(queue.hasUnclaimed).toBe(wants.length > 0 && wants.at(-1) !== 'request');
    }),
  );
});

test('draining takes everything not in flight, and deliveries in flight can still finish', () => {
  const queue = new EndpointQueue('r/status');
  queue.add(delivery('a', 1));
  queue.add(delivery('a', 2));
  queue.add(delivery('b', 1));
  const inFlight = queue.take() as Delivery;
  expect(
    queue
      .drain()
      .map((item) => item.eventId)
      .sort(),
  ).toEqual(['a-2', 'b-1']);
  expect(queue.size).toBe(1);
  queue.finish(inFlight);
  expect(queue.size).toBe(0);
  expect(queue.take()).toBeUndefined();
});

test('for any sequence of events, no order has two deliveries in flight and none is lost or sent twice', () => {
  const steps = fc.array(fc.record({ isAdd: fc.boolean(), order: fc.integer({ min: 0, max: 5 }), pick: fc.nat() }), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(steps, (life) => {
      const queue = new EndpointQueue('r/status');
      const versions = new Map<number, number>();
      const inFlight: Delivery[] = [];
      const sent: string[] = [];
      let added = 0;
      for (const step of life) {
        if (step.isAdd) {
          const version = (versions.get(step.order) ?? 0) + 1;
          versions.set(step.order, version);
          queue.add(delivery(`o${step.order}`, version));
          added += 1;
        } else if (inFlight.length > 0 && step.pick % 2 === 0) {
          const [finished] = inFlight.splice(step.pick % inFlight.length, 1);
          queue.finish(finished as Delivery);
          queue.adapt(step.pick % 3 === 0 ? REJECTED : ACCEPTED);
        }
        const next = queue.take();
        if (next === undefined) continue;
        expect(inFlight.some((other) => other.orderId === next.orderId)).toBe(false);
        inFlight.push(next);
        sent.push(next.eventId);
      }
      expect(new Set(sent).size).toBe(sent.length);
      expect(queue.size + sent.length - inFlight.length).toBe(added);
      for (const order of versions.keys()) {
        const own = sent.filter((id) => id.startsWith(`o${order}-`)).map((id) => Number(id.split('-')[1]));
        expect(own).toEqual(own.map((_, index) => index + 1));
      }
    }),
  );
});
