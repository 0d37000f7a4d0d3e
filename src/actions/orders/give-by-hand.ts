// An order given to a courier whom a person chose. The courier is read in the transaction that changes the order.
import { moveCommandIn, whyNotGiveByHand, whyNotMove } from '../../domain/orders/give-by-hand.ts';
import type { Command } from '../../domain/orders/order.ts';
import type { Scope } from '../../domain/people/scope.ts';
import { refuse, refused, refuseWith, type Refusal, type Refused } from '../../domain/refusals.ts';
import type { Instant } from '../../domain/time.ts';
import { findCourier, type Courier } from '../../store/couriers/couriers.ts';
import type { Queryable } from '../../store/database/database.ts';
import type { LockedOrder } from '../../store/orders/locked-orders.ts';

/** Becomes the named command, or else the one that the order's state calls for. */
export interface GiveByHand {
  name: 'give';
  courierId: string;
  as?: 'assign' | 'select';
}

export type ChosenCouriers = ReadonlyMap<string, Courier>;

export async function findChosenCouriers(
  tx: Queryable,
  commands: readonly (Command | GiveByHand)[],
): Promise<ChosenCouriers> {
  const found = new Map<string, Courier>();
  for (const command of commands) {
    const courier = command.name === 'give' ? await findCourier(tx, command.courierId) : undefined;
    if (courier !== undefined) found.set(courier.id, courier);
  }
  return found;
}

export function toCommand(
  command: Command | GiveByHand,
  { order, restaurantId }: LockedOrder,
  given: { scope: Scope; couriers: ChosenCouriers; now: Instant },
): { kind: 'command'; command: Command } | Refused {
  if (command.name !== 'give') return { kind: 'command', command };
  const courier = given.couriers.get(command.courierId.toLowerCase());
  if (courier === undefined) return refused(refuse('COURIER_001'));
  const bar = whyNotGiveByHand({ ...order, restaurantId }, courier, given.now);
  if (bar === 'OTHER_RESTAURANT') return refused(refuseForeign(courier, given.scope));
  if (bar === 'OFF_DUTY') return refused(refuseWith('COURIER_003', { name: courier.name }));
  const name = command.as ?? moveCommandIn(order.state);
  if (name !== undefined) return { kind: 'command', command: { name, courierId: courier.id } };
  return refused(refuse('ORDER_003', `The order cannot be moved. ${whyNotMove(order.state)}`));
}

/** A restaurant must not learn the names of another restaurant's couriers. */
export function refuseForeign({ name }: Courier, scope: Scope): Refusal {
  return scope === 'everything' ? refuseWith('COURIER_002', { name }) : refuse('COURIER_001');
}
