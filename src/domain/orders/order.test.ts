import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Cancellation } from './cancellation.ts';
import { CANCEL_REASONS, CANCELED_BY, mayCancelWith, reasonsOf } from './cancellation.ts';
import { OFFER_GRACE_MS, OFFER_LIMIT_MS } from '../couriers/courier.ts';
import {
  decide,
  isFinal,
  STATES,
  TRANSITIONS,
  type Actor,
  type Command,
  type Order,
  type OrderState,
} from './order.ts';
import { newOrder } from './placing.ts';

// Copied by hand from section 3 of the contract, not derived from the code: from, command, to.
const CONTRACT_ROWS = [
  ['NEW', 'approve', 'VALIDATED'],
  ['NEW', 'cancel', 'CANCELED'],
  ['VALIDATED', 'route', 'ROUTED'],
  ['VALIDATED', 'assign', 'ASSIGNED'],
  ['VALIDATED', 'prepare', 'PREPARED'],
  ['VALIDATED', 'cancel', 'CANCELED'],
  ['ROUTED', 'select', 'ASSIGNED'],
  ['ROUTED', 'cancel', 'CANCELED'],
  ['ASSIGNED', 'accept', 'ACCEPTED'],
  ['ASSIGNED', 'cancel', 'CANCELED'],
  ['ACCEPTED', 'prepare', 'PREPARED'],
  ['ACCEPTED', 'cancel', 'CANCELED'],
  ['PREPARED', 'pick_up', 'ON_DELIVERY'],
  ['PREPARED', 'cancel', 'CANCELED'],
  ['ON_DELIVERY', 'deliver', 'DELIVERED'],
  ['ON_DELIVERY', 'cancel', 'CANCELED'],
] as const;

const COURIER = 'courier-1';
const OTHER_COURIER = 'courier-2';
const NOW = 1_000_000;

const CANCELLATION: Cancellation = { reasonId: 'CUSTOMER_REQUEST', by: 'Restaurant', text: 'changed their mind' };

const COMMANDS: Record<keyof typeof TRANSITIONS, { command: Command; actor: Actor }> = {
  approve: { command: { name: 'approve' }, actor: { role: 'restaurant' } },
  route: { command: { name: 'route' }, actor: { role: 'planner' } },
  assign: { command: { name: 'assign', courierId: COURIER }, actor: { role: 'operator' } },
  select: { command: { name: 'select', courierId: COURIER }, actor: { role: 'planner' } },
  accept: { command: { name: 'accept' }, actor: { role: 'courier', courierId: COURIER } },
  prepare: { command: { name: 'prepare' }, actor: { role: 'restaurant' } },
  pick_up: { command: { name: 'pick_up' }, actor: { role: 'courier', courierId: COURIER } },
  deliver: { command: { name: 'deliver' }, actor: { role: 'courier', courierId: COURIER } },
  cancel: { command: { name: 'cancel', cancellation: CANCELLATION }, actor: { role: 'restaurant' } },
};

/** An order that reached a state in the usual way. */
function orderIn(state: OrderState, set: Partial<Order> = {}): Order {
  const hasCourier = ['ASSIGNED', 'ACCEPTED', 'PREPARED', 'ON_DELIVERY', 'DELIVERED'].includes(state);
  const hasAccepted = hasCourier && state !== 'ASSIGNED';
  return {
    ...newOrder('order-1', null, 0),
    state,
    version: 3,
    courierId: hasCourier ? COURIER : null,
    courierOfferedAt: hasCourier ? NOW - 1 : null,
    courierAcceptedAt: hasAccepted ? 2 : null,
    ...set,
  };
}

describe('the transition table', () => {
  test('the reason a courier was chosen stays with the order through every state', () => {
    const why = 'Adds 4 min to the plan; no other courier could take it.';
    for (const state of ['ROUTED', 'ASSIGNED', 'PREPARED'] as const) {
      const order = orderIn(state, { courierId: null, courierAcceptedAt: null });
      const decision = decide(order, { name: 'select', courierId: COURIER, why }, { ...COMMANDS.select, now: 5 });
      expect(decision).toMatchObject({ kind: 'changed', notes: [{ courierId: COURIER, detail: why }] });
    }
  });

  test('contains exactly the sixteen rows of the contract', () => {
    const rows = Object.entries(TRANSITIONS).flatMap(([name, row]) => row.from.map((from) => [from, name, row.to]));
    expect(rows.sort()).toEqual(CONTRACT_ROWS.map((row) => [...row]).sort());
  });

  for (const state of STATES) {
    for (const [name, { command, actor }] of Object.entries(COMMANDS)) {
      const row = CONTRACT_ROWS.find(([from, trigger]) => from === state && trigger === name);
      // With another courier, so that `assign` and `select` are not mere repetitions.
      const order = orderIn(state, name === 'assign' || name === 'select' ? { courierId: OTHER_COURIER } : {});
      if (row) {
        test(`${name} moves ${state} to ${row[2]}`, () => {
          const decision = decide(order, command, { actor, now: NOW });
          expect(decision).toMatchObject({ kind: 'changed', order: { state: row[2], version: 4 } });
          expect(decision.kind === 'changed' && decision.changes).toEqual([
            { from: state, to: row[2], version: 4, at: NOW },
          ]);
        });
      } else {
        test(`${name} does not move ${state}`, () => {
          const decision = decide(order, command, { actor, now: NOW });
          if (decision.kind === 'changed') {
            expect(decision.changes).toEqual([]);
            expect(decision.order.state).toBe(state);
          } else if (decision.kind === 'refused') {
            expect(decision.refusal).toMatchObject({ code: 'ORDER_003' });
            expect(decision.refusal.message).toContain(state);
          }
        });
      }
    }
  }

  test('no command leaves a final state', () => {
    for (const state of STATES.filter(isFinal)) {
      for (const { command, actor } of Object.values(COMMANDS)) {
        expect(decide(orderIn(state), command, { actor, now: NOW }).kind).not.toBe('changed');
      }
    }
  });

  test('each command is refused to every role that the table does not list', () => {
    const actors: Actor[] = [
      { role: 'restaurant' },
      { role: 'operator' },
      { role: 'planner' },
      { role: 'system' },
      { role: 'courier', courierId: COURIER },
    ];
    for (const [name, row] of Object.entries(TRANSITIONS)) {
      const { command } = COMMANDS[name as keyof typeof TRANSITIONS];
      const by: readonly string[] = row.by;
      for (const actor of actors.filter(({ role }) => !by.includes(role))) {
        const decision = decide(orderIn(row.from[0], { courierId: COURIER }), command, { actor, now: NOW });
        expect(decision, `${name} by ${actor.role}`).toMatchObject({ kind: 'refused' });
      }
    }
  });
});

describe('kitchens and couriers', () => {
  test('food ready early is recorded, and PREPARED follows ACCEPTED one millisecond later', () => {
    const early = decide(orderIn('ASSIGNED'), { name: 'prepare' }, { actor: { role: 'restaurant' }, now: 5 });
    expect(early).toMatchObject({ kind: 'changed', changes: [], order: { state: 'ASSIGNED', kitchenReadyAt: 5 } });
    if (early.kind !== 'changed') return;
    const accepted = decide(early.order, { name: 'accept' }, { ...COMMANDS.accept, now: 9 });
    expect(accepted).toMatchObject({
      changes: [
        { from: 'ASSIGNED', to: 'ACCEPTED', version: 4, at: 9 },
        { from: 'ACCEPTED', to: 'PREPARED', version: 5, at: 10 },
      ],
    });
  });

  test('a declined order stays ASSIGNED and can be offered to the next courier', () => {
    const declined = decide(
      orderIn('ASSIGNED'),
      { name: 'decline', reason: 'puncture' },
      { ...COMMANDS.accept, now: 5 },
    );
    expect(declined).toMatchObject({ changes: [], order: { state: 'ASSIGNED', courierId: null } });
    if (declined.kind !== 'changed') return;
    expect(declined.notes).toMatchObject([{ kind: 'courier_declined', courierId: COURIER, detail: 'puncture' }]);
    const next = decide(
      declined.order,
      { name: 'reoffer', courierId: OTHER_COURIER },
      { actor: { role: 'planner' }, now: 6 },
    );
    expect(next).toMatchObject({ changes: [], order: { state: 'ASSIGNED', courierId: OTHER_COURIER } });
  });

  test('only the courier who holds the offer can accept it', () => {
    const decision = decide(
      orderIn('ASSIGNED'),
      { name: 'accept' },
      { actor: { role: 'courier', courierId: OTHER_COURIER }, now: 5 },
    );
    expect(decision).toMatchObject({ kind: 'refused' });
  });

  test('food prepared before a courier is assigned waits without a state change', () => {
    const alone = orderIn('PREPARED', { courierId: null, courierAcceptedAt: null, courierOfferedAt: null });
    expect(decide(alone, { name: 'pick_up' }, { ...COMMANDS.pick_up, now: 5 }).kind).toBe('refused');
    const attached = decide(alone, { name: 'assign', courierId: COURIER }, { actor: { role: 'restaurant' }, now: 5 });
    expect(attached).toMatchObject({ changes: [], order: { state: 'PREPARED', courierId: COURIER } });
    if (attached.kind !== 'changed') return;
    expect(decide(attached.order, { name: 'pick_up' }, { ...COMMANDS.pick_up, now: 6 }).kind).toBe('refused');
    const accepted = decide(attached.order, { name: 'accept' }, { ...COMMANDS.accept, now: 6 });
    expect(accepted).toMatchObject({ changes: [], order: { state: 'PREPARED', courierAcceptedAt: 6 } });
    if (accepted.kind !== 'changed') return;
    expect(decide(accepted.order, { name: 'pick_up' }, { ...COMMANDS.pick_up, now: 7 })).toMatchObject({
      order: { state: 'ON_DELIVERY' },
    });
  });

  test('a repeated command changes nothing', () => {
    expect(decide(orderIn('ROUTED'), { name: 'approve' }, { ...COMMANDS.approve, now: 5 }).kind).toBe('unchanged');
    expect(
      decide(orderIn('ASSIGNED'), { name: 'select', courierId: COURIER }, { ...COMMANDS.select, now: 5 }).kind,
    ).toBe('unchanged');
    expect(decide(orderIn('CANCELED'), COMMANDS.cancel.command, { ...COMMANDS.cancel, now: 5 }).kind).toBe('unchanged');
  });
});

describe('cancellation', () => {
  const CONTRACT_REASONS: Record<string, string[]> = {
    CUSTOMER_REQUEST: ['Restaurant'],
    OUT_OF_STOCK: ['Restaurant'],
    WRONG_ADDRESS: ['Courier'],
    CUSTOMER_NOT_AVAILABLE: ['Courier'],
    COURIER_NOT_AVAILABLE: ['System'],
    RESTAURANT_CLOSED: ['System'],
    OTHER: ['Restaurant', 'Courier'],
  };

  test('each cancellation reason is accepted only from the roles in the contract', () => {
    for (const by of CANCELED_BY) {
      for (const reasonId of Object.keys(CANCEL_REASONS) as (keyof typeof CANCEL_REASONS)[]) {
        const isAllowed = CONTRACT_REASONS[reasonId]?.includes(by) ?? false;
        expect(mayCancelWith(by, reasonId), `${by} ${reasonId}`).toBe(isAllowed);
        const actor: Actor = { role: 'operator' };
        const command: Command = { name: 'cancel', cancellation: { reasonId, by, text: '' } };
        expect(decide(orderIn('ACCEPTED'), command, { actor, now: NOW }).kind).toBe(isAllowed ? 'changed' : 'refused');
      }
    }
    expect(Object.keys(CANCEL_REASONS).sort()).toEqual(Object.keys(CONTRACT_REASONS).sort());
    expect(reasonsOf('System')).toEqual(['COURIER_NOT_AVAILABLE', 'RESTAURANT_CLOSED']);
  });

  test('only the operator can cancel on behalf of another role', () => {
    const asCourier: Command = { name: 'cancel', cancellation: { reasonId: 'WRONG_ADDRESS', by: 'Courier', text: '' } };
    expect(decide(orderIn('ACCEPTED'), asCourier, { actor: { role: 'restaurant' }, now: NOW }).kind).toBe('refused');
    expect(decide(orderIn('ACCEPTED'), asCourier, { actor: { role: 'operator' }, now: NOW }).kind).toBe('changed');
  });

  test('a courier who was only offered an order can decline it but not cancel it', () => {
    const cancelIt: Command = { name: 'cancel', cancellation: { reasonId: 'OTHER', by: 'Courier', text: '' } };
    const courier = { actor: { role: 'courier', courierId: COURIER } as const, now: NOW };
    for (const state of ['ASSIGNED', 'PREPARED'] as const) {
      const offered = orderIn(state, { courierId: COURIER, courierAcceptedAt: null });
      expect(decide(offered, cancelIt, courier).kind).toBe('refused');
      expect(decide(offered, { name: 'decline' }, courier).kind).toBe('changed');
      expect(decide(offered, cancelIt, { actor: { role: 'operator' }, now: NOW }).kind).toBe('changed');
    }
    for (const state of ['ACCEPTED', 'PREPARED', 'ON_DELIVERY'] as const) {
      const accepted = orderIn(state, { courierId: COURIER, courierAcceptedAt: NOW - 1 });
      expect(decide(accepted, cancelIt, courier).kind).toBe('changed');
    }
  });

  test('an order past its deadline expires unless a courier has accepted it', () => {
    const system = { actor: { role: 'system' } as const, now: NOW };
    expect(decide(orderIn('ASSIGNED', { deadlineAt: NOW }), { name: 'expire' }, system)).toMatchObject({
      order: { state: 'CANCELED', cancellation: { reasonId: 'COURIER_NOT_AVAILABLE', by: 'System' } },
    });
    expect(decide(orderIn('ASSIGNED', { deadlineAt: NOW + 1 }), { name: 'expire' }, system).kind).toBe('unchanged');
    expect(decide(orderIn('ACCEPTED', { deadlineAt: null }), { name: 'expire' }, system).kind).toBe('unchanged');
    expect(decide(orderIn('NEW', { deadlineAt: NOW }), { name: 'expire' }, system)).toMatchObject({
      order: { cancellation: { reasonId: 'OTHER', by: 'Restaurant' } },
    });
  });
});

describe('reassigned offers', () => {
  const offered = { courierId: 'ada', courierOfferedAt: NOW - 1 };

  test('the planner withdraws an unanswered offer and never an accepted order', () => {
    const planner = { actor: { role: 'planner' } as const, now: NOW };
    const command: Command = { name: 'decline', reason: 'No answer in time' };
    expect(decide(orderIn('ASSIGNED', offered), command, planner)).toMatchObject({
      order: { state: 'ASSIGNED', courierId: null, courierOfferedAt: null },
      changes: [],
      notes: [{ kind: 'offer_withdrawn', courierId: 'ada', detail: 'No answer in time' }],
    });
    const accepted = { ...offered, courierAcceptedAt: NOW - 1 };
    expect(decide(orderIn('ACCEPTED', accepted), command, planner).kind).toBe('refused');
    expect(decide(orderIn('PREPARED', accepted), command, planner).kind).toBe('refused');
    expect(decide(orderIn('PREPARED', accepted), { name: 'reoffer', courierId: 'bo' }, planner).kind).toBe('refused');
  });

  test('only the operator reassigns an accepted order, and the new courier counts as having accepted', () => {
    const accepted = { ...offered, courierAcceptedAt: NOW - 1 };
    const command: Command = { name: 'reoffer', courierId: 'bo' };
    for (const state of ['ACCEPTED', 'PREPARED'] as const) {
      expect(decide(orderIn(state, accepted), command, { actor: { role: 'operator' }, now: NOW })).toMatchObject({
        order: { state, courierId: 'bo', courierAcceptedAt: NOW },
        changes: [],
        notes: [{ kind: 'courier_replaced', courierId: 'bo' }],
      });
      expect(decide(orderIn(state, accepted), command, { actor: { role: 'restaurant' }, now: NOW }).kind).toBe(
        'refused',
      );
    }
    const onTheWay = decide(orderIn('ON_DELIVERY', accepted), command, { actor: { role: 'operator' }, now: NOW });
    expect(onTheWay.kind).toBe('refused');
  });
});

describe('offer expiry', () => {
  const OFFERERS: Actor[] = [{ role: 'restaurant' }, { role: 'operator' }, { role: 'planner' }];
  const OFFERED = [
    orderIn('ASSIGNED', { courierOfferedAt: NOW }),
    orderIn('PREPARED', { courierOfferedAt: NOW, courierAcceptedAt: null }),
  ];
  const acceptAt = (order: Order, now: number) => decide(order, { name: 'accept' }, { ...COMMANDS.accept, now });

  test('an answer counts until the offer and its grace period end, and is then refused with a message', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...OFFERED),
        fc.integer({ min: -OFFER_LIMIT_MS, max: 2 * OFFER_LIMIT_MS }),
        (order, ms) => {
          expect(acceptAt(order, NOW + ms).kind).toBe(ms < OFFER_LIMIT_MS + OFFER_GRACE_MS ? 'changed' : 'refused');
        },
      ),
      { examples: [0, 1].flatMap((more) => OFFERED.map((one) => [one, OFFER_LIMIT_MS + OFFER_GRACE_MS - more])) },
    );
    expect(acceptAt(orderIn('ASSIGNED'), NOW + 2 * OFFER_LIMIT_MS)).toEqual({
      kind: 'refused',
      refusal: { code: 'ORDER_003', message: 'This offer has expired' },
    });
  });

  test('an order accepted in time stays accepted, even when the accept is repeated after expiry', () => {
    for (const state of ['ACCEPTED', 'PREPARED', 'ON_DELIVERY', 'DELIVERED'] as const) {
      expect(acceptAt(orderIn(state), NOW + 10 * OFFER_LIMIT_MS).kind).toBe('unchanged');
    }
  });

  test('a repeated offer to the same courier is ignored before expiry and a new offer after it', () => {
    for (const order of OFFERED) {
      for (const actor of OFFERERS) {
        const commands: Command[] = (['assign', 'select', 'reoffer'] as const)
          .filter((name) => name === 'reoffer' || TRANSITIONS[name].by.some((role) => role === actor.role))
          .map((name) => ({ name, courierId: COURIER }));
        for (const command of commands) {
          expect(decide(order, command, { actor, now: NOW + OFFER_LIMIT_MS - 1 }).kind).toBe('unchanged');
          const again = decide(order, command, { actor, now: NOW + OFFER_LIMIT_MS });
          expect(again).toMatchObject({
            kind: 'changed',
            changes: [],
            order: { state: order.state, courierId: COURIER, courierOfferedAt: NOW + OFFER_LIMIT_MS },
            notes: [{ courierId: COURIER }],
          });
          if (again.kind !== 'changed') continue;
          expect(acceptAt(again.order, NOW + 2 * OFFER_LIMIT_MS - 1).kind).toBe('changed');
        }
      }
    }
  });

  test('an accepted order is never offered again to the courier who accepted it, even after expiry', () => {
    const [actor, now] = [{ role: 'operator' } as const, NOW + 10 * OFFER_LIMIT_MS];
    for (const state of ['ACCEPTED', 'PREPARED', 'ON_DELIVERY', 'DELIVERED'] as const) {
      for (const name of ['assign', 'reoffer'] as const) {
        expect(decide(orderIn(state), { name, courierId: COURIER }, { actor, now }).kind).toBe('unchanged');
      }
    }
  });
});

test('versions have no gaps and instants strictly increase, even when the clock goes backward', () => {
  const steps = fc.array(
    fc.record({
      name: fc.constantFrom(...(Object.keys(COMMANDS) as (keyof typeof COMMANDS)[])),
      // Some steps come after an offer has expired.
      now: fc.tuple(fc.nat(50), fc.constantFrom(0, OFFER_LIMIT_MS)).map(([now, later]) => now + later),
    }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(steps, (life) => {
      let order = newOrder('order-1', null, 10);
      for (const { name, now } of life) {
        const decision = decide(order, COMMANDS[name].command, { actor: COMMANDS[name].actor, now });
        if (decision.kind !== 'changed') continue;
        let { version, lastChangedAt, state } = order;
        for (const change of decision.changes) {
          expect(change).toMatchObject({ from: state, version: version + 1 });
          expect(change.at).toBeGreaterThan(lastChangedAt);
          expect(CONTRACT_ROWS.some(([from, , to]) => from === change.from && to === change.to)).toBe(true);
          ({ version, at: lastChangedAt, to: state } = change);
        }
        order = decision.order;
        expect(order).toMatchObject({ version, lastChangedAt, state });
      }
    }),
  );
});
