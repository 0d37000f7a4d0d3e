// Every state from which an order can be canceled × everyone who may cancel, with the planner and the couriers' pages
// running: checks what the webhooks say, and that no page or plan keeps the order afterward.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reasonsOf, type CanceledBy, type CancelReasonId } from '../../../src/domain/orders/cancellation.ts';
import { TRANSITIONS, type OrderState, type Role } from '../../../src/domain/orders/order.ts';
import { createPlatform } from '../../../src/platform.ts';
import { listOrderPlans } from '../../../src/store/planning/plans.ts';
import { buildCity, stateOf, webhooksOf, waitUntil, type City, type CityCourier } from '../../scenes/city.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestService } from '../../../harness/service/service.ts';
import { createSimulatedClock } from '../../../harness/clocks/simulated.ts';

const clock = createSimulatedClock(new Date().toISOString());
const MINUTE_MS = 60_000;
const WAIT_LIMIT_MINUTES = 20;

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({ platform: createPlatform(undefined, clock) });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

type State = (typeof TRANSITIONS.cancel.from)[number];

/** Order contents that bring an order into a state and keep it there. */
const CONTENTS: Partial<Record<State, object>> = {
  // Without a drop-off location, the order is not planned.
  VALIDATED: { dropoff: { address: { line1: 'Somewhere' } } },
  // The courier is selected now but gets the offer later.
  ROUTED: { timing: { prepMinutes: 60 } },
};
const HANDED_OVER: ReadonlySet<OrderState> = new Set(['ACCEPTED', 'PREPARED', 'ON_DELIVERY']);

async function bringTo(state: State, city: City, { orderId, courier }: { orderId: string; courier: CityCourier }) {
  const id = await city.place(orderId, CONTENTS[state], state !== 'NEW');
  if (state === 'ASSIGNED' || HANDED_OVER.has(state)) await waitUntil(() => courier.offers(), [id]);
  if (HANDED_OVER.has(state)) expect((await courier.accept(id)).status).toBe(200);
  if (state === 'PREPARED' || state === 'ON_DELIVERY') await city.command(id, 'prepare');
  if (state === 'ON_DELIVERY') expect((await courier.act(id, 'picked_up')).outcome).toBe('applied');
  await waitUntil(() => stateOf(service, id), state);
  return id;
}

interface Cancel {
  city: City;
  courier: CityCourier;
  id: string;
  orderId: string;
  reasonId: CancelReasonId;
}

interface Canceler {
  role: Role;
  by: CanceledBy;
  may: (state: State) => boolean;
  cancel: (order: Cancel) => Promise<{ status: number }>;
}

const CANCELERS: Record<string, Canceler> = {
  'the restaurant in its panel': {
    role: 'restaurant',
    by: 'Restaurant',
    may: () => true,
    cancel: ({ city, id, reasonId }) =>
      city.owner.send('POST', `/api/orders/${id}/cancel`, { cancelReasonId: reasonId, reason: 'So it is' }),
  },
  'the integrator by the API': {
    role: 'restaurant',
    by: 'Restaurant',
    may: () => true,
    cancel: ({ city, orderId, reasonId }) =>
      fetch(`${service.address}/webhook/third-party/order/${orderId}/cancel`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': city.restaurant.apiKey },
        body: JSON.stringify({ cancelReasonId: reasonId, reason: 'So it is' }),
      }),
  },
  'the courier at their page': {
    role: 'courier',
    by: 'Courier',
    may: (state) => HANDED_OVER.has(state),
    cancel: ({ courier, id, reasonId }) =>
      courier.page.send('POST', `/api/courier/orders/${id}/cancel`, { cancelReasonId: reasonId, reason: 'So it is' }),
  },
  'the operator for a courier': {
    role: 'operator',
    by: 'Courier',
    may: () => true,
    cancel: async ({ id: orderId, reasonId }) => {
      const cancellation = { reasonId, by: 'Courier', text: 'So it is' } as const;
      const command = { name: 'cancel', cancellation } as const;
      const result = await service.app.changer.change({
        scope: 'everything',
        orderId,
        command,
        actor: { role: 'operator' },
      });
      return { status: result.kind === 'refused' ? 409 : 200 };
    },
  },
};

/** Both webhooks of the cancellation arrive, the order.canceled one exactly once, with the same timestamp. */
async function expectWebhooks(orderId: string, state: State, cancellation: object): Promise<void> {
  const received = (event: string) => webhooksOf(receiver, orderId).filter((body) => body['event'] === event);
  const isComplete = () =>
    received('order.canceled').length > 0 && received('order.status_changed').at(-1)?.['status'] === 'CANCELED';
  await receiver.waitFor(isComplete);
  const [canceled, ...more] = received('order.canceled');
  expect(more).toEqual([]);
  expect(canceled).toMatchObject(cancellation);
  const timestamp = canceled?.['timestamp'];
  expect(received('order.status_changed').at(-1)).toMatchObject({ previousStatus: state, timestamp });
}

test('the test covers every actor that the transition table allows to cancel', () => {
  const roles = Object.values(CANCELERS).map(({ role }) => role);
  expect(new Set([...roles, 'system'])).toEqual(new Set(TRANSITIONS.cancel.by));
});

test.each(Object.entries(CANCELERS))(
  '%s cancels in each allowed state: both webhooks are sent, and page and plan drop the order',
  async (who, { by, may, cancel }) => {
    const city = await buildCity({ service, receiver, clock });
    const courier = await city.addCourier('Only', 0.5);
    const reasons = reasonsOf(by);
    const ids: string[] = [];
    for (const [index, state] of TRANSITIONS.cancel.from.entries()) {
      const orderId = `${who} ${state}`.replaceAll(' ', '-');
      const reasonId = reasons[index % reasons.length] ?? 'OTHER';
      const id = await bringTo(state, city, { orderId, courier });
      ids.push(id);
      const answer = await cancel({ city, courier, id, orderId, reasonId });
      if (!may(state)) {
        // A courier can see an order only if it is offered to them.
        expect([state, answer.status]).toEqual([state, state === 'ASSIGNED' ? 409 : 404]);
        expect(await stateOf(service, id)).toBe(state);
        // Canceled, so that it does not affect the next order.
        await city.owner.send('POST', `/api/orders/${id}/cancel`, { cancelReasonId: 'OTHER' });
        continue;
      }
      expect([state, answer.status]).toEqual([state, 200]);
      expect([await courier.offers(), await courier.stops()]).toEqual([[], []]);
      expect(await courier.act(id, 'delivered')).toMatchObject({ outcome: 'refused' });
      if (state === 'ON_DELIVERY') {
        expect(await courier.act(id, 'arrived_dropoff')).toMatchObject({ explanation: 'The order was canceled.' });
      }
      await expectWebhooks(orderId, state, { cancelReasonId: reasonId, canceledBy: by, reason: 'So it is' });
    }
    await waitUntil(async () => [await listOrderPlans(service.app.db, ids), await city.alarms()], [[], []]);
  },
  90_000,
);

test('without an acceptance, the System cancels after the restaurant’s limit, in any state', async () => {
  const city = await buildCity({ service, receiver, clock }, { courierWaitLimitMinutes: WAIT_LIMIT_MINUTES });
  const courier = await city.addCourier('Silent', 0.5);
  const waiting: State[] = ['VALIDATED', 'ROUTED', 'ASSIGNED'];
  const ids = new Map<State, string>();
  for (const state of waiting) ids.set(state, await bringTo(state, city, { orderId: `system-${state}`, courier }));
  const early = await city.place('system-PREPARED', CONTENTS.VALIDATED);
  await city.command(early, 'prepare');
  ids.set('PREPARED', early);
  const accepted = await bringTo('ACCEPTED', city, {
    orderId: 'system-ACCEPTED',
    courier: await city.addCourier('Quick', 0.1),
  });
  clock.moveBy(WAIT_LIMIT_MINUTES * MINUTE_MS + 1_000);
  for (const [state, id] of ids) {
    await waitUntil(() => stateOf(service, id), 'CANCELED');
    await expectWebhooks(`system-${state}`, state, {
      canceledBy: 'System',
      cancelReasonId: 'COURIER_NOT_AVAILABLE',
      reason: 'No courier was found',
    });
  }
  expect(await stateOf(service, accepted)).toBe('ACCEPTED');
  expect(await courier.offers()).toEqual([]);
});
