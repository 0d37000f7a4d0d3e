import { expect, test } from 'vitest';
import { commandsOf, offerCommands, whyNot, type OrderFacts } from './available-commands.ts';
import { STATES, TRANSITIONS, type OrderState } from './order.ts';

function facts(state: OrderState, more: Partial<OrderFacts> = {}): OrderFacts {
  return { state, courierId: null, courierAcceptedAt: null, kitchenReadyAt: null, ...more };
}

test('a role gets exactly the commands the table lists for it', () => {
  expect(commandsOf('restaurant')).toEqual(['approve', 'assign', 'prepare', 'cancel']);
  expect(commandsOf('planner')).toEqual(['route', 'select']);
});

test('every restaurant row of the table is offered in each of its states', () => {
  for (const name of commandsOf('restaurant')) {
    for (const state of TRANSITIONS[name].from) expect(whyNot(facts(state), name, 'restaurant')).toBeNull();
  }
});

test('a blocked command names the state, and a completed command is reported as done', () => {
  expect(whyNot(facts('NEW'), 'prepare', 'restaurant')).toBe('Cannot prepare. The order is NEW');
  expect(whyNot(facts('ROUTED'), 'approve', 'restaurant')).toBe('Already done');
  expect(whyNot(facts('CANCELED'), 'cancel', 'restaurant')).toBe('The order is finished');
});

test('food that is ready early can be reported once', () => {
  expect(whyNot(facts('ASSIGNED'), 'prepare', 'restaurant')).toBeNull();
  expect(whyNot(facts('ASSIGNED', { kitchenReadyAt: 1 }), 'prepare', 'restaurant')).toBe('Already done');
});

test('an order accepted by a courier is not offered to another courier', () => {
  const accepted = facts('PREPARED', { courierId: 'somebody', courierAcceptedAt: 1 });
  expect(whyNot(accepted, 'assign', 'restaurant')).toBe(
    'Another courier has already accepted the order. The order is PREPARED',
  );
});

test('every command has an answer in every state', () => {
  for (const state of STATES) {
    for (const { reason } of offerCommands(facts(state), 'restaurant')) expect(reason).not.toBe('');
  }
});
