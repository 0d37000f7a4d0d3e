import { expect, test } from 'vitest';
import { commandsOf, offerCommands, whyNot, type OrderFacts } from './available-commands.ts';
import { STATES, TRANSITIONS, type OrderState } from './order.ts';

function facts(state: OrderState, more: Partial<OrderFacts> = {}): OrderFacts {
  return { state, courierId: null, courierAcceptedAt: null, kitchenReadyAt: null, ...more };
}

test('the commands of a role are those that the table gives it', () => {
  expect(commandsOf('restaurant')).toEqual(['approve', 'assign', 'prepare', 'cancel']);
  expect(commandsOf('planner')).toEqual(['route', 'select']);
});

test('every row of the table that is a restaurant’s is offered, in each of its states', () => {
  for (const name of commandsOf('restaurant')) {
    for (const state of TRANSITIONS[name].from) expect(whyNot(facts(state), name, 'restaurant')).toBeNull();
  }
});

test('what cannot be done names the state, and what is done says so', () => {
  expect(whyNot(facts('NEW'), 'prepare', 'restaurant')).toBe('Cannot prepare. The order is NEW');
  expect(whyNot(facts('ROUTED'), 'approve', 'restaurant')).toBe('This is done already');
  expect(whyNot(facts('CANCELED'), 'cancel', 'restaurant')).toBe('The order is finished');
});

test('food that is ready early can be said so once', () => {
  expect(whyNot(facts('ASSIGNED'), 'prepare', 'restaurant')).toBeNull();
  expect(whyNot(facts('ASSIGNED', { kitchenReadyAt: 1 }), 'prepare', 'restaurant')).toBe('This is done already');
});

test('an order that a courier has accepted is not given to another', () => {
  const accepted = facts('PREPARED', { courierId: 'somebody', courierAcceptedAt: 1 });
  expect(whyNot(accepted, 'assign', 'restaurant')).toBe(
    'Another courier has already accepted the order. The order is PREPARED',
  );
});

test('every command of every state has an answer', () => {
  for (const state of STATES) {
    for (const { reason } of offerCommands(facts(state), 'restaurant')) expect(reason).not.toBe('');
  }
});
