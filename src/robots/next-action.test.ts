import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TestScript } from '../contract/integrator/orders/test-script.ts';
import { CANCEL_REASONS, type CancelReasonId } from '../domain/orders/cancellation.ts';
import { OFFER_GRACE_MS, OFFER_LIMIT_MS } from '../domain/couriers/courier.ts';
import { decide, isFinal, STATES, type Command, type Order, type OrderState } from '../domain/orders/order.ts';
import { newOrder } from '../domain/orders/placing.ts';
import { nextAct } from './next-action.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

interface Journey {
  states: OrderState[];
  order: Order;
  declines: number;
  tookMs: number;
  notes: string[];
}

/** Runs an order to its end, jumping from one due time to the next. */
function play(script: TestScript, options: { isRoutable?: boolean } = {}): Journey {
  let order = newOrder('0195515e-1a00-7c3e-9d5b-2f6a8e4c1b70', null, NOW);
  let [declines, now] = [0, NOW];
  let lastDeclinedAt: number | null = null;
  const journey: OrderState[] = [];
  const notes: string[] = [];
  for (let step = 0; step < 50; step += 1) {
    const act = nextAct({ order, isRoutable: options.isRoutable ?? true, declines, lastDeclinedAt, script }, now);
    if (act === null) return { states: journey, order, declines, tookMs: now - NOW, notes };
    now = Math.max(now, act.dueAt);
    const command = act.kind === 'command' ? act.command : { name: act.name, courierId: `courier-${step}` };
    const decision = decide(order, command, { actor: act.actor, now });
    if (decision.kind !== 'changed') throw new Error(`${command.name} in ${order.state}: ${JSON.stringify(decision)}`);
    order = decision.order;
    journey.push(...decision.changes.map((change) => change.to));
    notes.push(...decision.notes.map((note) => note.kind));
    if (command.name === 'decline') [declines, lastDeclinedAt] = [declines + 1, now];
  }
  throw new Error(`the order never ended: ${journey.join(' ')}`);
}

const REASONS = Object.keys(CANCEL_REASONS) as CancelReasonId[];
const LIVE_STATES = STATES.filter((state) => !isFinal(state));

const cancel = fc.record(
  {
    reason: fc.constantFrom(...REASONS),
    at: fc.constantFrom(...LIVE_STATES),
    by: fc.constantFrom('Restaurant' as const, 'Courier' as const),
  },
  { requiredKeys: ['reason', 'at'] },
);
const route = {
  speed: fc.integer({ min: 1, max: 3600 }),
  path: fc.constantFrom('PLANNED' as const, 'MANUAL' as const, 'PREPARED_FIRST' as const),
  declines: fc.integer({ min: 0, max: 5 }),
};

test('without a script an order passes through every state and is delivered in about a minute', () => {
  const { states, tookMs } = play({});
  expect(states).toEqual(['VALIDATED', 'ROUTED', 'ASSIGNED', 'ACCEPTED', 'PREPARED', 'ON_DELIVERY', 'DELIVERED']);
  expect(tookMs).toBeGreaterThan(45_000);
  expect(tookMs).toBeLessThan(70_000);
});

test('for any script, no command is rejected and an order not scripted to be canceled is delivered', () => {
  fc.assert(
    fc.property(fc.record(route, { requiredKeys: [] }), fc.boolean(), (script, isRoutable) => {
      const journey = play(script, { isRoutable });
      expect(journey.order.state).toBe('DELIVERED');
      expect(journey.declines).toBe(script.declines ?? 0);
    }),
  );
});

test('every cancellation reason can be used in every state by a party that may use it', () => {
  fc.assert(
    fc.property(fc.record({ ...route, cancel }, { requiredKeys: ['cancel'] }), (script) => {
      const { order, states } = play(script);
      expect(order.state).toBe('CANCELED');
      expect(order.cancellation?.reasonId).toBe(script.cancel.reason);
      const last: OrderState = states.at(-2) ?? 'NEW';
      expect(STATES.indexOf(last)).toBeGreaterThanOrEqual(STATES.indexOf(script.cancel.at));
    }),
  );
});

describe('the script', () => {
  test('cancels in the state that it names, or in the next one if the path skips it', () => {
    const at = (script: TestScript) => play(script).states.at(-2);
    expect(at({ cancel: { reason: 'OUT_OF_STOCK', at: 'ROUTED' } })).toBe('ROUTED');
    expect(at({ path: 'MANUAL', cancel: { reason: 'OUT_OF_STOCK', at: 'ROUTED' } })).toBe('ASSIGNED');
    expect(play({ cancel: { reason: 'WRONG_ADDRESS', at: 'NEW' } }).states).toEqual(['CANCELED']);
  });

  test('states who cancels for other reasons', () => {
    const by = (script: TestScript) => play(script).order.cancellation?.by;
    expect(by({ cancel: { reason: 'OTHER', at: 'ON_DELIVERY', by: 'Courier' } })).toBe('Courier');
    expect(by({ cancel: { reason: 'OTHER', at: 'ON_DELIVERY' } })).toBe('Restaurant');
    expect(by({ cancel: { reason: 'OUT_OF_STOCK', at: 'ON_DELIVERY', by: 'Courier' } })).toBe('Restaurant');
  });

  test('lets the couriers decline before the System cancels for lack of a courier', () => {
    const { declines, states } = play({ declines: 2, cancel: { reason: 'COURIER_NOT_AVAILABLE', at: 'ASSIGNED' } });
    expect(declines).toBe(2);
    expect(states).toEqual(['VALIDATED', 'ROUTED', 'ASSIGNED', 'CANCELED']);
  });

  test('skips ROUTED on the manual path; on the food-first path an order gets its courier while PREPARED', () => {
    expect(play({ path: 'MANUAL' }).states).toEqual([
      'VALIDATED',
      'ASSIGNED',
      'ACCEPTED',
      'PREPARED',
      'ON_DELIVERY',
      'DELIVERED',
    ]);
    const first = play({ path: 'PREPARED_FIRST', declines: 1 });
    expect(first.states).toEqual(['VALIDATED', 'PREPARED', 'ON_DELIVERY', 'DELIVERED']);
    expect(first.notes).toEqual(['courier_attached', 'courier_declined', 'courier_attached', 'courier_accepted']);
  });

  test('sets the speed of the order', () => {
    expect(play({ speed: 3600 }).tookMs).toBeLessThan(1_000);
    expect(play({ speed: 1 }).tookMs).toBeGreaterThan(30 * 60_000);
  });
});

test('an order without a route is assigned by hand unless the script demands planning', () => {
  expect(play({}, { isRoutable: false }).states).not.toContain('ROUTED');
  expect(play({ path: 'PLANNED' }, { isRoutable: false }).states).toContain('ROUTED');
});

test.each([
  ['ASSIGNED', 'reoffer'],
  ['PREPARED', 'select'],
] as const)('an offer that expired while no robot was running is sent again: %s', (state, name) => {
  const offered = { state, courierId: 'courier-1', courierOfferedAt: NOW, lastChangedAt: NOW };
  const order: Order = { ...newOrder('0195515e-1a00-7c3e-9d5b-2f6a8e4c1b70', null, NOW), ...offered };
  const actAt = (now: number) =>
    nextAct({ order, isRoutable: true, declines: 0, lastDeclinedAt: null, script: {} }, now);
  expect(actAt(NOW + OFFER_LIMIT_MS)).toMatchObject({ kind: 'command', command: { name: 'accept' } });
  const lateAt = NOW + OFFER_LIMIT_MS + OFFER_GRACE_MS;
  expect(actAt(lateAt)).toMatchObject({ kind: 'find_courier', name });
  const again: Command = { name, courierId: 'courier-1' };
  expect(decide(order, again, { actor: { role: 'planner' }, now: lateAt })).toMatchObject({ kind: 'changed' });
});
